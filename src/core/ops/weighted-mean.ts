// y_b = (1/n) Σ_i w_i x_bi: the mean over owners, masked or weighted (Eq. 5, Eq. 8)

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { CoreError, expectArgument, expectShape } from '../errors.ts';

/** Numbers per task: enough to outweigh handing it over. */
const NUMBERS_PER_TASK = 16_384;

/**
 * x: [batch, n, h], weights: [n] or [batch, n] → [batch, h]. Weights are presence masks, or the c = Âᵀ1 that turns the
 * mean over a graph convolution into a weighted sum. The sum is divided by n whatever the weights add up to.
 */
export function weightedMean(tape: Tape, x: Tensor, weights?: Tensor): Tensor {
  expectShape('weightedMean input', x.shape, ['batch', 'owners', 'width']);
  expectArgument(x.size > 0, 'weightedMean input', 'must not be empty', `[${x.shape.join(', ')}]`);
  const [batch, n, h] = x.shape;
  const shared = weights?.shape.length === 1;
  if (weights) expectWeights(weights, batch, n);
  const perTask = Math.ceil(NUMBERS_PER_TASK / (n * h));
  const tasks = Math.ceil(batch / perTask);
  const sizes = [perTask, batch, n, h] as const;
  const w = [weights?.address ?? 0, shared ? 0 : n * 4] as const;
  const y = tape.result([batch, h], [x, weights]);
  tape.engine.run('weightedMean', tasks, ...sizes, x.address, ...w, y.address);
  tape.record(y, () => {
    const dy = y.gradientAddress;
    if (x.needsGradient) tape.engine.run('weightedMeanToInput', tasks, ...sizes, ...w, dy, x.gradientAddress);
    if (!weights?.needsGradient) return;
    const to = shared ? tape.scratch(tasks * n) : weights.gradientAddress;
    tape.engine.run('weightedMeanToWeights', tasks, ...sizes, shared ? 1 : 0, x.address, dy, to);
    if (shared) tape.engine.kernels.addParts(tasks, n, to, weights.gradientAddress);
  });
  return y;
}

function expectWeights(weights: Tensor, batch: number, n: number): void {
  const [first, second] = weights.shape;
  const fits = weights.shape.length === 1 ? first === n : weights.shape.length === 2 && first === batch && second === n;
  if (fits) return;
  const rule = `shape must be [${n}] or [${batch}, ${n}], got [${weights.shape.join(', ')}]`;
  throw new CoreError('F3_SHAPE', `weightedMean weights: ${rule}`);
}
