// [entity] [coordinator] The model that is computed on shares: its sizes, its weights, and the bits after the point of everything public in it.
import { F3Error } from '../errors.ts';
import { FRACTION_BITS } from './fixed-point.ts';
import { MASKING_BITS, maskRoom } from './party.ts';
import type { Scheme } from './scheme.ts';

/** Sizes of a model on shares. */
export interface SharedShape {
  owners: number;
  /** d: width of the widest owner. */
  width: number;
  hidden: number;
  classes: number;
  /**
   * How an embedding reaches the hidden layer: by W0ᵀP_i, by W0 alone, or by a matrix of the owner's own, which is what the tables of
   * quantile codes are.
   */
  projection: 'aligned' | 'common' | 'own';
  /** Whether owners are convolved over a graph. */
  hasGraph: boolean;
  /** Whether the graph is learned: the coordinator needs the gradients of its edges. */
  learnsGraph: boolean;
  /** Whether another identity is added to the normalised graph. */
  skip: boolean;
}

/** The names and sizes of the weights. */
export function weightSizes({
  owners: n,
  width: d,
  hidden: h,
  classes,
  projection,
}: SharedShape): Record<string, number> {
  const rest = { b0: h, W1: h * classes, b1: classes };
  if (projection === 'aligned') return { P: n * d * d, W0: d * h, ...rest };
  return projection === 'common' ? { W0: d * h, ...rest } : { T: n * d * h, ...rest };
}

/** Bits after the point of a public graph: entries are at most 2 and must stay below 2^25. */
export const GRAPH_BITS = 23;
/** Bits after the point of the factors that lead from the graph's gradient to that of its edges. */
export const EDGE_BITS = 24;

/** Bits after the point that depend on how many entities there are, since more sets leave less room for masks. */
export interface BitPlan {
  /** Of the owners' public weights in the mean. */
  weight: number;
  /** Gradients are multiplied by 2^loss on their way back, so that small ones keep their digits. */
  loss: number;
}

/** Magnitudes that numbers are held to, as powers of two; see docs/shares.md. */
export const MAGNITUDES = { projection: 8, hidden: 12, pooled: 8, gradient: 8, velocity: 5 } as const;

export function bitPlan(scheme: Scheme): BitPlan {
  const room = maskRoom(scheme) - 1 - MASKING_BITS;
  const weight = Math.min(24, room - (2 * FRACTION_BITS + 2 + MAGNITUDES.pooled));
  const loss = Math.min(8, room - (2 * FRACTION_BITS + GRAPH_BITS + MAGNITUDES.velocity));
  if (weight >= 16 && loss >= 0) return { weight, loss };
  const rule = 'the masks of a training need fewer sets of entities';
  throw new F3Error('F3_SHARES_SCHEME', `sharing: ${rule}, got ${scheme.sets.length}`);
}
