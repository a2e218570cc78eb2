// Averaged weights: the running mean w̄ = βw̄ + (1 − β)w of parameters over training steps.
import type { Engine } from '../engine/engine.ts';
import type { Tensor } from '../engine/tensor.ts';
import { CoreError, expectArgument } from '../errors.ts';
import { expectLearnable, OptimizerArrays, type OptimizerState } from './optimizer-arrays.ts';

/** Numbers per task, a multiple of the vector length. */
const PER_TASK = 8_192;

export class AveragedWeights {
  readonly #engine: Engine;
  readonly #parameters: readonly Tensor[];
  readonly #decay: number;
  readonly #means: OptimizerArrays<'mean'>;
  #steps = 0;

  /** `decay` is β, the share of the mean that a step keeps: about the last 1/(1 − β) steps count. */
  constructor(engine: Engine, parameters: readonly Tensor[], decay: number) {
    expectLearnable('averaged weights', parameters);
    expectArgument(decay > 0 && decay < 1, 'averaged weights decay', 'must be in (0, 1)', decay);
    this.#engine = engine;
    this.#parameters = parameters;
    this.#decay = decay;
    this.#means = new OptimizerArrays(engine, parameters, ['mean']);
  }

  /** Adds the parameters after a step to the mean. The first call starts it. */
  update(): void {
    const rest = this.#steps === 0 ? 1 : 1 - this.#decay;
    this.#parameters.forEach((p, i) => {
      const mean = this.#means.at('mean', i);
      this.#engine.run('averageStep', Math.ceil(p.size / PER_TASK), PER_TASK, p.size, rest, p.address, mean);
    });
    this.#steps++;
  }

  /** Runs `use` while the parameters hold their means, then restores them. */
  with<Result>(use: () => Result): Result {
    if (this.#steps === 0) throw new CoreError('F3_ARGUMENT', 'averaged weights: must be updated before they are used');
    const now = this.#parameters.map((parameter) => parameter.data.slice());
    this.#parameters.forEach((p, i) => {
      p.data.set(this.#engine.memory.floats(this.#means.at('mean', i), p.size));
    });
    try {
      return use();
    } finally {
      this.#parameters.forEach((parameter, i) => {
        parameter.data.set(now[i]);
      });
    }
  }

  /** A copy of what a checkpoint must hold. */
  state(): OptimizerState {
    return { steps: this.#steps, arrays: this.#means.copy() };
  }

  restore(state: OptimizerState): void {
    this.#means.set(state);
    this.#steps = state.steps;
  }

  dispose(): void {
    this.#means.dispose();
  }
}
