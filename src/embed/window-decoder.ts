// [owner] Reads windows back from embeddings, x ≈ hᵀV + c, while a model is trained to keep what it saw. It is thrown away after.
import type { Engine } from '../core/engine/engine.ts';
import type { Tape } from '../core/engine/tape.ts';
import type { Tensor } from '../core/engine/tensor.ts';
import { affine } from '../core/ops/affine.ts';
import { squaredError } from '../core/ops/squared-error.ts';
import { uniform } from '../core/optimizer/initialise.ts';
import { RandomStream } from '../core/random.ts';

const DECODER_STREAM = 3;

/** Reads windows back from embeddings while a local model is trained. */
export class WindowDecoder {
  readonly #engine: Engine;
  readonly #weight: Tensor;
  readonly #bias: Tensor;

  /** `width`: d; `size`: numbers in a window, time × variate */
  constructor(engine: Engine, width: number, size: number, seed: number) {
    const random = new RandomStream(seed, DECODER_STREAM);
    const bound = 1 / Math.sqrt(width);
    this.#engine = engine;
    this.#weight = engine.parameter([width, size], uniform(random, [width, size], -bound, bound));
    this.#bias = engine.parameter([size], new Float32Array(size));
  }

  get learned(): readonly Tensor[] {
    return [this.#weight, this.#bias];
  }

  /** embedding: [batch, d], windows: [batch, time, variate] → mean squared error, a scalar */
  error(tape: Tape, embedding: Tensor, windows: Tensor): Tensor {
    const size = this.#bias.size;
    return squaredError(tape, affine(tape, embedding, this.#weight, this.#bias), windows.view(windows.shape[0], size));
  }

  dispose(): void {
    for (const tensor of this.learned) this.#engine.free(tensor);
  }
}
