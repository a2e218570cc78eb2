// H = −(1/rows) Σ_rows Σ_j p_j log p_j, the penalty that draws hard alignments towards permutations

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectArgument } from '../errors.ts';

const NUMBERS_PER_TASK = 4_096;

/**
 * p: [..., d], rows of probabilities → [], the mean over all rows, in nats. 0·log 0 = 0, and the slope there is that of
 * the smallest normal float32 (1 + log p = −86.3) instead of −∞.
 */
export function rowEntropy(tape: Tape, p: Tensor): Tensor {
  const d = p.shape[p.shape.length - 1];
  expectArgument(
    p.shape.length > 0 && p.size > 0,
    'rowEntropy input',
    'must hold at least one row',
    `[${p.shape.join(', ')}]`,
  );
  const scale = -d / p.size;
  const tasks = Math.ceil(p.size / NUMBERS_PER_TASK);
  const parts = tape.scratch(tasks);
  const out = tape.result([], [p]);
  tape.engine.run('entropyParts', tasks, NUMBERS_PER_TASK, p.size, scale, p.address, parts);
  out.data[0] = 0;
  tape.engine.kernels.addParts(tasks, 1, parts, out.address);
  tape.record(out, () => {
    const slope = scale * out.gradient[0];
    tape.engine.run('entropyBackward', tasks, NUMBERS_PER_TASK, p.size, slope, p.address, p.gradientAddress);
  });
  return out;
}
