// Â = D^{-1/2}(A + I)D^{-1/2} (+ I with skip), the propagation matrix of a graph convolution (Eq. 8)

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectArgument, expectShape } from '../errors.ts';

export interface SymmetricNormaliseOptions {
  /** Adds another identity: the skip connection of the paper's preset. Default false. */
  skip?: boolean;
}

const NUMBERS_PER_TASK = 16_384;
/** Keeps the column sums that tasks hand over ([tasks, n]) small beside the matrix. */
const MIN_ROWS_PER_TASK = 32;

/**
 * adjacency: [n, n], entries ≥ 0 → [n, n]. D holds the row sums of A + I on both sides, also for an asymmetric A (a
 * given road graph).
 */
export function symmetricNormalise(tape: Tape, adjacency: Tensor, options: SymmetricNormaliseOptions = {}): Tensor {
  const n = adjacency.shape[0];
  expectShape('symmetricNormalise adjacency', adjacency.shape, [n ?? 'n', n ?? 'n']);
  expectArgument(n > 0, 'symmetricNormalise adjacency', 'must hold at least one owner', n);
  const perTask = Math.max(MIN_ROWS_PER_TASK, Math.ceil(NUMBERS_PER_TASK / n));
  const tasks = Math.ceil(n / perTask);
  const { engine } = tape;
  const a = adjacency.address;
  const r = tape.scratch(n);
  const out = tape.result([n, n], [adjacency]);
  engine.run('inverseRootDegrees', tasks, perTask, n, a, r);
  engine.run('normaliseRows', tasks, perTask, n, options.skip ? 1 : 0, a, r, out.address);
  tape.record(out, () => {
    const g = out.gradientAddress;
    const dr = tape.scratch(n);
    const columnSums = tape.scratch(tasks * n);
    engine.run('normaliseSums', tasks, perTask, n, a, r, g, dr, columnSums);
    engine.kernels.addParts(tasks, n, columnSums, dr);
    engine.run('normaliseRowsBackward', tasks, perTask, n, r, g, dr, adjacency.gradientAddress);
  });
  return out;
}
