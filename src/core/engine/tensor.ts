// Float32 tensors in the shared memory, row-major, with a gradient of the same shape when one is needed.
import { CoreError } from '../errors.ts';
import type { Memory } from './memory.ts';

/** Where a tensor's numbers lie. Views of one tensor share it, and with it the gradient. */
interface Storage {
  readonly memory: Memory;
  readonly address: number;
  readonly allocateGradient: (() => number) | undefined;
  gradient: number;
}

/** Numbers of some shape in the engine's memory, with a gradient where one is needed. */
export class Tensor {
  /** Length of every dimension, the last one varying fastest. */
  readonly shape: readonly number[];
  /** How many numbers it has. */
  readonly size: number;
  readonly #storage: Storage;

  private constructor(shape: readonly number[], storage: Storage) {
    this.shape = shape;
    this.size = sizeOf(shape);
    this.#storage = storage;
  }

  /** `allocateGradient` is called when the first gradient arrives; without it the tensor is a constant. */
  static at(memory: Memory, address: number, shape: readonly number[], allocateGradient?: () => number): Tensor {
    return new Tensor(shape, { memory, address, allocateGradient, gradient: 0 });
  }

  /** Address of the first number, for kernels. */
  get address(): number {
    return this.#storage.address;
  }

  /** Whether derivatives are passed to it. */
  get needsGradient(): boolean {
    return this.#storage.allocateGradient !== undefined;
  }

  /** Whether a gradient has arrived. */
  get hasGradient(): boolean {
    return this.#storage.gradient !== 0;
  }

  /** Address of the gradient, cleared to zero when first asked for. */
  get gradientAddress(): number {
    const storage = this.#storage;
    if (storage.gradient === 0) {
      if (!storage.allocateGradient) throw new CoreError('F3_ARGUMENT', 'tensor: a constant has no gradient');
      storage.gradient = storage.allocateGradient();
      storage.memory.floats(storage.gradient, this.size).fill(0);
    }
    return storage.gradient;
  }

  /** The numbers themselves: a view, valid until the memory is reused. */
  get data(): Float32Array {
    return this.#storage.memory.floats(this.#storage.address, this.size);
  }

  /** The gradient as a view; zeros if none has arrived. */
  get gradient(): Float32Array {
    return this.#storage.memory.floats(this.gradientAddress, this.size);
  }

  /** The same numbers under another shape of the same size. */
  view(...shape: number[]): Tensor {
    if (sizeOf(shape) !== this.size) {
      throw new CoreError(
        'F3_SHAPE',
        `view: [${shape.join(', ')}] must hold ${this.size} numbers like [${this.shape.join(', ')}]`,
      );
    }
    return new Tensor(shape, this.#storage);
  }

  /** A scalar's value. */
  item(): number {
    if (this.size !== 1)
      throw new CoreError('F3_SHAPE', `item: shape must hold one number, got [${this.shape.join(', ')}]`);
    return this.data[0];
  }
}

export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, length) => product * length, 1);
}
