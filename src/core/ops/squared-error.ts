// L = Σ_i (x_i − target_i)² / n: how far a reconstruction is from what it was made of.

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectArgument, expectShape } from '../errors.ts';
import { CHUNK } from './chunk.ts';

/** x: [...], target: [...] of the same shape, which is data and gets no gradient → the mean, a scalar [] */
export function squaredError(tape: Tape, x: Tensor, target: Tensor): Tensor {
  expectShape('squaredError target', target.shape, x.shape);
  const { size } = x;
  expectArgument(size > 0, 'squaredError x', 'must hold at least one number', size);
  const { engine } = tape;
  const tasks = Math.ceil(size / CHUNK);
  const loss = tape.result([], [x]);
  const sums = tape.scratch(tasks);
  engine.run('squaredDifferences', tasks, CHUNK, size, x.address, target.address, sums);
  loss.data[0] = engine.memory.floats(sums, tasks).reduce((total, sum) => total + sum, 0) / size;
  tape.record(loss, () => {
    const scale = (2 * loss.gradient[0]) / size;
    const addresses = [x.address, target.address, x.gradientAddress] as const;
    engine.run('squaredDifferencesBackward', tasks, CHUNK, size, scale, ...addresses);
  });
  return loss;
}
