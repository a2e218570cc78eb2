// [coordinator] From the owners' hidden vectors to class logits: their weighted mean, then one layer (Eq. 8) or two.
import type { Tape } from '../../core/engine/tape.ts';
import type { Tensor } from '../../core/engine/tensor.ts';
import { add } from '../../core/ops/add.ts';
import { affine } from '../../core/ops/affine.ts';
import { mask } from '../../core/ops/mask.ts';
import { relu } from '../../core/ops/relu.ts';
import { weightedMean } from '../../core/ops/weighted-mean.ts';

/** What the owners have come to. */
export interface HiddenOwners {
  /** [sample, n, h] */
  hidden: Tensor;
  /** Âᵀm: [n] or [sample, n]; none without a graph */
  pooling: Tensor | undefined;
  /** [sample, n] constant; none where everybody is present */
  present: Tensor | undefined;
}

/**
 * A mean over owners turns the second layer of a GCN into a weighted mean: (1/n)·mᵀÂX = (1/n)·(Âᵀm)ᵀX, m = 1 or the mask.
 * Absent owners' outputs are zero, so its bias counts once per owner present: mean(m)·b1. weight: [h, class], bias: [class]
 */
export function linearReadOut(tape: Tape, owners: HiddenOwners, weight: Tensor, bias: Tensor): Tensor {
  const { hidden, pooling, present } = owners;
  if (!present) return affine(tape, weightedMean(tape, hidden, pooling), weight, bias);
  const weights = pooling ? mask(tape, pooling, present) : present;
  const [batch, count] = present.shape;
  const share = weightedMean(tape, present.view(batch, count, 1));
  const counted = affine(tape, share, bias.view(1, bias.size));
  return add(tape, affine(tape, weightedMean(tape, hidden, weights), weight), counted);
}

/** W1 [h, h], b1 [h], W2 [h, class], b2 [class] */
export type LayeredParameters = Readonly<Record<string, Tensor>>;

/**
 * relu(x·W1 + b1)·W2 + b2, x the mean over the owners present: their sum divided by their share, so that x means the same
 * to the layers behind it however many are absent.
 */
export function layeredReadOut(tape: Tape, owners: HiddenOwners, { W1, b1, W2, b2 }: LayeredParameters): Tensor {
  const { hidden, pooling, present } = owners;
  const shares = present && presentShares(tape, present);
  const weights = pooling && shares ? mask(tape, pooling, shares) : (pooling ?? shares);
  const inner = relu(tape, affine(tape, weightedMean(tape, hidden, weights), W1), b1);
  return affine(tape, inner, W2, b2);
}

/** [sample, n]: n divided by the number of owners present where one is, 0 where it is absent */
function presentShares(tape: Tape, present: Tensor): Tensor {
  const [batch, owners] = present.shape;
  const shares = present.data.slice();
  for (let b = 0; b < batch; b++) {
    const row = shares.subarray(b * owners, (b + 1) * owners);
    const count = row.reduce((sum, is) => sum + is, 0);
    for (let i = 0; i < owners; i++) row[i] *= count > 0 ? owners / count : 0;
  }
  return tape.constant([batch, owners], shares);
}
