// A step-long transposed copy of a stack of matrices, for products that need rows where there are columns.
import type { Tape } from '../engine/tape.ts';

/** from: [count, rows, columns] → address of [count, columns, rows] */
export function transposed(tape: Tape, from: number, count: number, rows: number, columns: number): number {
  const to = tape.scratch(count * rows * columns);
  tape.engine.run('transpose', count, rows, columns, from, to);
  return to;
}
