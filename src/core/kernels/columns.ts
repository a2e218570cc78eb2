// Copies a matrix into columns of a wider one, and adds such columns back, for concatenation. Row strides are in bytes.
import { storeUpTo } from './store';

/** to[r, 0 … width) = from[r, 0 … width) for the rows of task `task`, `perTask` rows each. */
export function copyColumns(
  task: i32, perTask: i32, rows: i32, width: i32, from: usize, fromRow: usize, to: usize, toRow: usize,
): void {
  const end = min(rows, (task + 1) * perTask);
  for (let r = task * perTask; r < end; r++) {
    const source = from + <usize>r * fromRow;
    const target = to + <usize>r * toRow;
    for (let k = 0; k < width; k += 4) {
      const o = <usize>k << 2;
      storeUpTo(target + o, v128.load(source + o), width - k);
    }
  }
}

/** to[r, 0 … width) += from[r, 0 … width) for the rows of task `task`. */
export function addColumns(
  task: i32, perTask: i32, rows: i32, width: i32, from: usize, fromRow: usize, to: usize, toRow: usize,
): void {
  const end = min(rows, (task + 1) * perTask);
  for (let r = task * perTask; r < end; r++) {
    const source = from + <usize>r * fromRow;
    const target = to + <usize>r * toRow;
    for (let k = 0; k < width; k += 4) {
      const o = <usize>k << 2;
      storeUpTo(target + o, f32x4.add(v128.load(target + o), v128.load(source + o)), width - k);
    }
  }
}
