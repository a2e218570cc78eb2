// Adam, with or without weight decay, and SGD over float32 parameters: PyTorch's updates, resumable to the same bits.
import type { Engine } from '../engine/engine.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectArgument } from '../errors.ts';
import { expectLearnable, OptimizerArrays, type OptimizerState } from './optimizer-arrays.ts';

export type { OptimizerState };

/** What turns gradients into better parameters. */
export interface Optimizer {
  /** Step size η; it may be changed between steps. */
  learningRate: number;
  /**
   * Applies the parameters' gradients and clears them to zero in the same pass: it consumes the gradients. A parameter
   * that no gradient reached is updated as with a gradient of zero (PyTorch would skip it).
   */
  step(): void;
  /** A copy of what a checkpoint must hold. */
  state(): OptimizerState;
  /** Goes on from what `state` gave, to the same bits. */
  restore(state: OptimizerState): void;
  /** Gives the optimiser's memory back; the parameters stay. */
  dispose(): void;
}

/** Numbers per task, a multiple of the vector length. */
const PER_TASK = 8_192;
const tasksOf = (tensor: Tensor) => Math.ceil(tensor.size / PER_TASK);

/** The choices of Adam. Defaults are PyTorch's. */
export interface AdamOptions {
  learningRate: number;
  /** Factor on the learning rate of a parameter. Default: 1. */
  rateScale?: (parameter: Tensor) => number;
  /** λ: every step takes the share ηλ of a parameter away, whatever its gradient (AdamW). Default: 0. */
  weightDecay?: number;
  /** Which parameters decay. Default: all of them. */
  decays?: (parameter: Tensor) => boolean;
  beta1?: number;
  beta2?: number;
  epsilon?: number;
}

/**
 * p −= η/(1 − β₁ᵗ) · m / (√v/√(1 − β₂ᵗ) + ε) with running moments m of g and v of g² (Kingma and Ba 2015), after
 * p −= ηλp where weights decay (Loshchilov and Hutter 2019).
 */
export class Adam implements Optimizer {
  learningRate: number;
  readonly #engine: Engine;
  readonly #beta1: number;
  readonly #beta2: number;
  readonly #epsilon: number;
  readonly #parameters: readonly Tensor[];
  readonly #scales: readonly number[];
  /** λ of each parameter. */
  readonly #decays: readonly number[];
  readonly #moments: OptimizerArrays<'firstMoment' | 'secondMoment'>;
  #steps = 0;

  constructor(engine: Engine, parameters: readonly Tensor[], options: AdamOptions) {
    const { learningRate, rateScale = () => 1, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8 } = options;
    const { weightDecay = 0, decays = () => true } = options;
    expectLearnable('adam', parameters);
    expectRate('adam', learningRate);
    expectArgument(beta1 >= 0 && beta1 < 1, 'adam beta1', 'must be in [0, 1)', beta1);
    expectArgument(beta2 >= 0 && beta2 < 1, 'adam beta2', 'must be in [0, 1)', beta2);
    expectArgument(epsilon >= 0, 'adam epsilon', 'must be at least 0', epsilon);
    const isDecay = Number.isFinite(weightDecay) && weightDecay >= 0;
    expectArgument(isDecay, 'adam weightDecay', 'must be a finite number ≥ 0', weightDecay);
    this.learningRate = learningRate;
    this.#engine = engine;
    this.#beta1 = beta1;
    this.#beta2 = beta2;
    this.#epsilon = epsilon;
    this.#parameters = parameters;
    this.#scales = parameters.map(rateScale);
    expectScales('adam', this.#scales);
    this.#decays = parameters.map((parameter) => (decays(parameter) ? weightDecay : 0));
    this.#moments = new OptimizerArrays(engine, parameters, ['firstMoment', 'secondMoment']);
  }

  step(): void {
    this.#steps++;
    const b1 = this.#beta1;
    const b2 = this.#beta2;
    const rootCorrection = Math.sqrt(1 - b2 ** this.#steps);
    const step = this.learningRate / (1 - b1 ** this.#steps);
    const scalars = [b1, 1 - b1, b2, 1 - b2, rootCorrection, this.#epsilon] as const;
    this.#parameters.forEach((p, i) => {
      const moments = [this.#moments.at('firstMoment', i), this.#moments.at('secondMoment', i)] as const;
      const tensors = [p.address, p.gradientAddress, ...moments] as const;
      const keep = 1 - this.learningRate * this.#scales[i] * this.#decays[i];
      this.#engine.run('adamStep', tasksOf(p), PER_TASK, p.size, ...tensors, ...scalars, step * this.#scales[i], keep);
    });
  }

  state(): OptimizerState {
    return { steps: this.#steps, arrays: this.#moments.copy() };
  }

  restore(state: OptimizerState): void {
    this.#moments.set(state);
    this.#steps = state.steps;
  }

  dispose(): void {
    this.#moments.dispose();
  }
}

/** The choices of stochastic gradient descent. Momentum is 0 by default. */
export interface SgdOptions {
  learningRate: number;
  /** Factor on the learning rate of a parameter. Default: 1. */
  rateScale?: (parameter: Tensor) => number;
  momentum?: number;
}

/** u = μu + g, p −= ηu */
export class Sgd implements Optimizer {
  learningRate: number;
  readonly #engine: Engine;
  readonly #momentum: number;
  readonly #parameters: readonly Tensor[];
  readonly #scales: readonly number[];
  readonly #velocity: OptimizerArrays<'velocity'>;
  #steps = 0;

  constructor(engine: Engine, parameters: readonly Tensor[], options: SgdOptions) {
    const { learningRate, rateScale = () => 1, momentum = 0 } = options;
    expectLearnable('sgd', parameters);
    expectRate('sgd', learningRate);
    expectArgument(momentum >= 0 && momentum < 1, 'sgd momentum', 'must be in [0, 1)', momentum);
    this.learningRate = learningRate;
    this.#engine = engine;
    this.#momentum = momentum;
    this.#parameters = parameters;
    this.#scales = parameters.map(rateScale);
    expectScales('sgd', this.#scales);
    this.#velocity = new OptimizerArrays(engine, parameters, momentum > 0 ? ['velocity'] : []);
  }

  step(): void {
    this.#steps++;
    this.#parameters.forEach((p, i) => {
      const scalars = [this.#momentum, this.learningRate * this.#scales[i]] as const;
      const velocity = this.#momentum > 0 ? this.#velocity.at('velocity', i) : 0;
      const tensors = [p.address, p.gradientAddress, velocity] as const;
      this.#engine.run('sgdStep', tasksOf(p), PER_TASK, p.size, ...tensors, ...scalars);
    });
  }

  state(): OptimizerState {
    return { steps: this.#steps, arrays: this.#velocity.copy() };
  }

  restore(state: OptimizerState): void {
    this.#velocity.set(state);
    this.#steps = state.steps;
  }

  dispose(): void {
    this.#velocity.dispose();
  }
}

function expectRate(thing: string, learningRate: number): void {
  const fits = Number.isFinite(learningRate) && learningRate >= 0;
  expectArgument(fits, `${thing} learningRate`, 'must be a finite number ≥ 0', learningRate);
}

function expectScales(thing: string, scales: readonly number[]): void {
  for (const scale of scales) {
    expectArgument(Number.isFinite(scale) && scale >= 0, `${thing} rateScale`, 'must be a finite number ≥ 0', scale);
  }
}
