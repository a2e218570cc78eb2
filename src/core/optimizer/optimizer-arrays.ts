// What an optimiser remembers between steps: arrays of each parameter's size, copied to and from checkpoints.
import type { Engine } from '../engine/engine.ts';
import type { Tensor } from '../engine/tensor.ts';
import { CoreError, expectArgument } from '../errors.ts';

/** What a checkpoint must hold beside the parameters so that training resumes to the same bits. */
export interface OptimizerState {
  readonly steps: number;
  /** The key is `<name>.<index of the parameter>`, e.g. `secondMoment.0`. */
  readonly arrays: Readonly<Record<string, Float32Array>>;
}

/** For every parameter, zero-initialised float32 arrays of its size, by name. */
export class OptimizerArrays<Name extends string> {
  readonly #engine: Engine;
  readonly #tensors = new Map<string, Tensor>();

  constructor(engine: Engine, parameters: readonly Tensor[], names: readonly Name[]) {
    this.#engine = engine;
    parameters.forEach((parameter, i) => {
      for (const name of names) this.#tensors.set(`${name}.${i}`, engine.buffer([parameter.size]));
    });
  }

  /** Address of the array. */
  at(name: Name, parameter: number): number {
    const tensor = this.#tensors.get(`${name}.${parameter}`);
    if (!tensor) throw new CoreError('F3_DISPOSED', 'optimizer: must not be used after dispose');
    return tensor.address;
  }

  copy(): Record<string, Float32Array> {
    return Object.fromEntries([...this.#tensors].map(([name, tensor]) => [name, tensor.data.slice()]));
  }

  /** Takes over all of a state or, when a check fails, nothing of it. */
  set(state: OptimizerState): void {
    const { steps, arrays } = state;
    expectArgument(Number.isInteger(steps) && steps >= 0, 'optimizer state steps', 'must be an integer ≥ 0', steps);
    const wanted = [...this.#tensors.keys()].sort().join(', ');
    const given = Object.keys(arrays).sort().join(', ');
    expectArgument(
      given === wanted,
      'optimizer state arrays',
      `must be named ${wanted || '(none)'}`,
      given || '(none)',
    );
    for (const [name, tensor] of this.#tensors) {
      const { length } = arrays[name];
      expectArgument(length === tensor.size, `optimizer state ${name}`, `must hold ${tensor.size} numbers`, length);
    }
    for (const [name, tensor] of this.#tensors) tensor.data.set(arrays[name]);
  }

  dispose(): void {
    for (const tensor of this.#tensors.values()) this.#engine.free(tensor);
    this.#tensors.clear();
  }
}

/** Throws unless there are parameters, all can be learned, and none is listed (and so updated) twice. */
export function expectLearnable(thing: string, parameters: readonly Tensor[]): void {
  const constant = parameters.findIndex((parameter) => !parameter.needsGradient);
  expectArgument(constant < 0, `${thing} parameters`, 'must all need a gradient', `a constant at ${constant}`);
  expectArgument(parameters.length > 0, `${thing} parameters`, 'must not be empty', 'none');
  const distinct = new Set(parameters).size === parameters.length;
  expectArgument(distinct, `${thing} parameters`, 'must all be different', 'one of them twice');
}
