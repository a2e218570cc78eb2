// Rows of a stored tensor as a batch: y[i] = source[rows[i]]. Not differentiable: sources are data.

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { CoreError } from '../errors.ts';

/** source: [m, ...], rows: [batch] of indices below m → [batch, ...] */
export function gatherRows(tape: Tape, source: Tensor, rows: ArrayLike<number>): Tensor {
  const [m, ...rest] = source.shape;
  for (let i = 0; i < rows.length; i++) {
    if (!(rows[i] >= 0 && rows[i] < m && Number.isInteger(rows[i]))) {
      throw new CoreError(
        'F3_ARGUMENT',
        `gather rows: index must be an integer in [0, ${m}), got ${rows[i]} (entry ${i})`,
      );
    }
  }
  const y = tape.result([rows.length, ...rest], []);
  const width = source.size / m;
  const perTask = Math.max(1, Math.ceil(65_536 / width));
  const tasks = Math.ceil(rows.length / perTask);
  tape.engine.run('gatherRows', tasks, perTask, rows.length, width, tape.integers(rows), source.address, y.address);
  return y;
}
