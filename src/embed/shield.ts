// [owner] What a local model is trained against, beside the label: that windows can be told from its embeddings. It is thrown away after.
import type { Tape } from '../core/engine/tape.ts';
import type { Tensor } from '../core/engine/tensor.ts';
import { add } from '../core/ops/add.ts';
import { squaredDistanceCorrelation } from '../core/ops/squared-distance-correlation.ts';
import type { RandomStream } from '../core/random.ts';

/** What a local model can be trained against, by name. */
export const SHIELD_KINDS = ['distance-correlation', 'noise'] as const;
/**
 * What a local model is trained against: the distance correlation of windows and embeddings, or noise on embeddings,
 * which leaves room for little but the label.
 */
export type ShieldKind = (typeof SHIELD_KINDS)[number];

/** What a local model is trained against, and how much that counts. */
export interface ShieldOptions {
  kind: ShieldKind;
  /** λ, beside the label's cross-entropy; of noise its standard deviation, in units of √d as `noiseEmbeddings` counts it. */
  weight: number;
}

/** The shield of one training. */
export interface Shield {
  /** Weight of the squared distance correlation beside the label when epochs are compared. */
  readonly judged: number;
  /** What the label is read from in training: embeddings [batch, d] as they are, or under noise. */
  seen(tape: Tape, embedding: Tensor, random: RandomStream): Tensor;
  /** `loss` [] with what stands against embeddings [batch, d] of these windows [batch, time, variate] added to it */
  against(tape: Tape, loss: Tensor, embedding: Tensor, windows: Tensor): Tensor;
}

export function makeShield({ kind, weight }: ShieldOptions): Shield {
  return kind === 'noise' ? noiseShield(weight) : distanceShield(weight);
}

/** Drawings of an epoch's noise and of a look at the validation part start from streams of their own. */
export const SHIELD_STREAM = 5;

function noiseShield(weight: number): Shield {
  return {
    judged: 0,
    seen: (tape, embedding, random) => {
      const noise = tape.result(embedding.shape, []);
      for (let at = 0; at < noise.size; at++) noise.data[at] = random.normal();
      return add(tape, embedding, noise, weight * Math.sqrt(embedding.shape[1]));
    },
    against: (_tape, loss) => loss,
  };
}

function distanceShield(weight: number): Shield {
  return {
    judged: weight,
    seen: (_tape, embedding) => embedding,
    against: (tape, loss, embedding, windows) => {
      const [rows] = windows.shape;
      if (rows < 2) return loss; // The last batch of an epoch may hold one window, which has no distance to any other.
      const told = squaredDistanceCorrelation(tape, embedding, windows.view(rows, windows.size / rows));
      return add(tape, loss, told, weight);
    },
  };
}
