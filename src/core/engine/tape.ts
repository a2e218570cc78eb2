// Records what a step computes and replays the derivatives in reverse.

import { CoreError } from '../errors.ts';
import { Arena } from './arena.ts';
import type { Engine } from './engine.ts';
import { sizeOf, Tensor } from './tensor.ts';

/** Records what a step computes and replays the derivatives in reverse. */
export class Tape {
  readonly engine: Engine;
  readonly arena: Arena;
  /** Without recording, operations keep nothing for a derivative. */
  readonly recording: boolean;
  #derivatives: (() => void)[] = [];

  constructor(engine: Engine, recording = true) {
    this.engine = engine;
    this.arena = new Arena(engine.memory);
    this.recording = recording;
  }

  /** A step-long tensor that holds `values`. */
  constant(shape: readonly number[], values: ArrayLike<number>): Tensor {
    const size = sizeOf(shape);
    if (values.length !== size) {
      throw new CoreError(
        'F3_SHAPE',
        `constant: [${shape.join(', ')}] must hold ${size} numbers, got ${values.length}`,
      );
    }
    const tensor = Tensor.at(this.engine.memory, this.arena.allocate(size * 4), shape);
    tensor.data.set(values);
    return tensor;
  }

  /** An operation's result, not cleared. It needs a gradient when one of the operation's inputs does. */
  result(shape: readonly number[], inputs: readonly (Tensor | undefined)[]): Tensor {
    const bytes = sizeOf(shape) * 4;
    const address = this.arena.allocate(bytes);
    const needsGradient = this.recording && inputs.some((input) => input?.needsGradient);
    return Tensor.at(this.engine.memory, address, shape, needsGradient ? () => this.arena.allocate(bytes) : undefined);
  }

  /** Address of step-long working memory for a kernel, not cleared. */
  scratch(floats: number): number {
    return this.arena.allocate(floats * 4);
  }

  /** Address of a step-long copy of integers, e.g. labels. */
  integers(values: ArrayLike<number>): number {
    const address = this.arena.allocate(values.length * 4);
    this.engine.memory.integers(address, values.length).set(values);
    return address;
  }

  /** Remembers how gradients pass from `outputs` to an operation's inputs; replayed only if one has arrived. */
  record(outputs: Tensor | readonly Tensor[], derivative: () => void): void {
    const list = outputs instanceof Tensor ? [outputs] : outputs;
    if (!list.some((output) => output.needsGradient)) return;
    this.#derivatives.push(() => {
      if (list.some((output) => output.hasGradient)) derivative();
    });
  }

  /** Adds d`loss`/d(tensor) to the gradient of every tensor that needs one. `loss` is a scalar. */
  backward(loss: Tensor): void {
    if (loss.size !== 1)
      throw new CoreError('F3_SHAPE', `backward: the loss must be a scalar, got [${loss.shape.join(', ')}]`);
    if (!loss.needsGradient) throw new CoreError('F3_ARGUMENT', 'backward: the loss depends on no parameter');
    loss.gradient[0] += 1;
    this.replay();
  }

  /** Passes on the gradients that outputs already hold, e.g. ones that came from elsewhere. A tape replays once. */
  replay(): void {
    for (let i = this.#derivatives.length - 1; i >= 0; i--) this.#derivatives[i]();
    this.#derivatives = [];
  }

  /** Forgets the step: its tensors' memory is used again. */
  reset(): void {
    this.#derivatives = [];
    this.arena.reset();
  }

  dispose(): void {
    this.#derivatives = [];
    this.arena.dispose();
  }
}
