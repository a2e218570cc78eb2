// y_i = b_i + Σ_k code(x_ik)·W_ik: piecewise-linear codes of numbers (Gorishniy et al. 2022), projected

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectArgument, expectShape } from '../errors.ts';
import { rowsPerTask } from './chunk.ts';

export interface EncodedProjectionOptions {
  /** [owner, out] */
  bias?: Tensor | undefined;
  /** [batch, owner]: 0 where an owner is absent, whose output is then zero. By default all are present. */
  present?: Tensor | undefined;
}

/**
 * x: [batch, owner, d] constant, edges: [owner, d, bins + 1] ascending, constant, weights: [owner, d, bins, out]
 * → [batch, owner, out]. The code of x is 1 for every bin below the one it lies in, its share of the way through that
 * bin, and 0 above; outside the edges the first and last bin go on as straight lines. What never varied, so that all its
 * edges are one, has the code 0. It costs d·out per owner, however many the bins.
 */
export function encodedProjection(
  tape: Tape,
  x: Tensor,
  edges: Tensor,
  weights: Tensor,
  { bias, present }: EncodedProjectionOptions = {},
): Tensor {
  const { engine } = tape;
  expectShape('encoded projection input', x.shape, ['batch', 'owner', 'd']);
  const [batch, owners, width] = x.shape;
  expectShape('encoded projection weights', weights.shape, [owners, width, 'bins', 'out']);
  const [, , bins, out] = weights.shape;
  expectShape('encoded projection edges', edges.shape, [owners, width, bins + 1]);
  if (bias) expectShape('encoded projection bias', bias.shape, [owners, out]);
  if (present) expectShape('encoded projection present', present.shape, [batch, owners]);
  expectArgument(!x.needsGradient, 'encoded projection input', 'must be a constant', 'one that is learned');
  const y = tape.result([batch, owners, out], [weights, bias]);
  const sizes = [batch, owners, width, bins, out] as const;
  const sums = tape.scratch(weights.size);
  const perTask = rowsPerTask(bins * out);
  const rows = owners * width;
  engine.run('sumBinsBefore', Math.ceil(rows / perTask), perTask, rows, bins, out, weights.address, sums);
  const scratch = () => [engine.threadScratch(width * 8), engine.threadScratchBytes] as const;
  const [who, b] = [present?.address ?? 0, bias?.address ?? 0];
  const given = [x.address, edges.address] as const;
  engine.run('encodedProjection', owners, ...sizes, ...given, weights.address, sums, b, who, y.address, ...scratch());
  tape.record(y, () => {
    const to = weights.needsGradient ? weights.gradientAddress : tape.scratch(weights.size);
    // The sums are no longer needed, so their memory takes the gradients of each bin.
    const gradients = [y.gradientAddress, to, sums, bias?.needsGradient ? bias.gradientAddress : 0] as const;
    engine.run('encodedProjectionBackward', owners, ...sizes, ...given, who, ...gradients, ...scratch());
  });
  return y;
}
