// [owner] What a local model is trained against, beside the label: that windows can be told from its embeddings. It is thrown away after.
import type { Engine } from '../core/engine/engine.ts';
import type { Tape } from '../core/engine/tape.ts';
import type { Tensor } from '../core/engine/tensor.ts';
import { add } from '../core/ops/add.ts';
import { affine } from '../core/ops/affine.ts';
import { relu } from '../core/ops/relu.ts';
import { reverseGradient } from '../core/ops/reverse-gradient.ts';
import { squaredDistanceCorrelation } from '../core/ops/squared-distance-correlation.ts';
import { squaredError } from '../core/ops/squared-error.ts';
import { uniform } from '../core/optimizer/initialise.ts';
import { RandomStream } from '../core/random.ts';

/** What a local model can be trained against, by name. */
export const SHIELD_KINDS = ['distance-correlation', 'adversary'] as const;
/**
 * What a local model is trained against: the distance correlation of windows and embeddings, or a small network that
 * learns to read windows back meanwhile.
 */
export type ShieldKind = (typeof SHIELD_KINDS)[number];

/** What a local model is trained against, and how much that counts. */
export interface ShieldOptions {
  kind: ShieldKind;
  /** λ, beside the label's cross-entropy. */
  weight: number;
}

/** The shield of one training. */
export interface Shield {
  /** Parameters of its own that training changes. */
  readonly learned: readonly Tensor[];
  /** `loss` [] with what stands against embeddings [batch, d] of these windows [batch, time, variate] added to it */
  against(tape: Tape, loss: Tensor, embedding: Tensor, windows: Tensor): Tensor;
  /** What is left to be told, from 0 to 1 and times the weight, on windows that nothing was learned from. */
  left(tape: Tape, embedding: Tensor, windows: Tensor): number;
  dispose(): void;
}

/** `width`: d; `size`: numbers in a window, time × variate, z-scored */
export function makeShield(engine: Engine, options: ShieldOptions, width: number, size: number, seed: number): Shield {
  const { kind, weight } = options;
  return kind === 'adversary' ? new Adversary(engine, weight, width, size, seed) : distanceShield(weight, size);
}

const flat = (windows: Tensor, size: number): Tensor => windows.view(windows.shape[0], size);

function distanceShield(weight: number, size: number): Shield {
  const told = (tape: Tape, embedding: Tensor, windows: Tensor) =>
    squaredDistanceCorrelation(tape, embedding, flat(windows, size));
  return {
    learned: [],
    // The last batch of an epoch may hold one window, which has no distance to any other.
    against: (tape, loss, embedding, windows) =>
      windows.shape[0] < 2 ? loss : add(tape, loss, told(tape, embedding, windows), weight),
    left: (tape, embedding, windows) => (windows.shape[0] < 2 ? 0 : weight * told(tape, embedding, windows).item()),
    dispose: () => undefined,
  };
}

const ADVERSARY_STREAM = 4;
const HIDDEN = 32;

/** A network of one hidden layer that learns to read windows back, while the model learns that it cannot. */
class Adversary implements Shield {
  readonly learned: readonly Tensor[];
  readonly #engine: Engine;
  readonly #weight: number;
  readonly #size: number;

  constructor(engine: Engine, weight: number, width: number, size: number, seed: number) {
    const random = new RandomStream(seed, ADVERSARY_STREAM);
    const draw = (dims: number[], fan: number) =>
      engine.parameter(dims, uniform(random, dims, -1 / Math.sqrt(fan), 1 / Math.sqrt(fan)));
    this.#engine = engine;
    this.#weight = weight;
    this.#size = size;
    this.learned = [
      draw([width, HIDDEN], width),
      draw([HIDDEN], width),
      draw([HIDDEN, size], HIDDEN),
      draw([size], HIDDEN),
    ];
  }

  against(tape: Tape, loss: Tensor, embedding: Tensor, windows: Tensor): Tensor {
    return add(tape, loss, this.#error(tape, reverseGradient(tape, embedding, this.#weight), windows));
  }

  /** Windows are z-scored: an error of 1 is what guessing the mean gives. */
  left(tape: Tape, embedding: Tensor, windows: Tensor): number {
    return this.#weight * Math.max(0, 1 - this.#error(tape, embedding, windows).item());
  }

  #error(tape: Tape, embedding: Tensor, windows: Tensor): Tensor {
    const [weightIn, biasIn, weightOut, biasOut] = this.learned;
    const hidden = relu(tape, affine(tape, embedding, weightIn), biasIn);
    return squaredError(tape, affine(tape, hidden, weightOut, biasOut), flat(windows, this.#size));
  }

  dispose(): void {
    for (const tensor of this.learned) this.#engine.free(tensor);
  }
}
