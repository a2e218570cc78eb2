// Transposes, row gathers and sums over rows.
import { madd } from './madd';

/** to[c, r] = from[r, c] for matrix `task` of a stack. */
export function transpose(task: i32, rows: i32, columns: i32, from: usize, to: usize): void {
  const matrix = <usize>task * (<usize>(rows * columns) << 2);
  from += matrix;
  to += matrix;
  const fromRow = <usize>columns << 2;
  const toRow = <usize>rows << 2;
  for (let r = 0; r < rows; r++) {
    let at = from + <usize>r * fromRow;
    let out = to + (<usize>r << 2);
    for (let c = 0; c < columns; c++) {
      store<f32>(out, load<f32>(at));
      at += 4;
      out += toRow;
    }
  }
}

/** to[i] = from[index[i]] for the rows of task `task`, `perTask` rows each. */
export function gatherRows(task: i32, perTask: i32, count: i32, width: i32, index: usize, from: usize, to: usize): void {
  const bytes = <usize>width << 2;
  const end = min(count, (task + 1) * perTask);
  for (let i = task * perTask; i < end; i++) {
    memory.copy(to + <usize>i * bytes, from + <usize>load<i32>(index + (<usize>i << 2)) * bytes, bytes);
  }
}

/** out[task] = Σ rows of the task's `perTask` rows of from [rows, width]. */
export function sumRows(task: i32, perTask: i32, rows: i32, width: i32, from: usize, out: usize): void {
  out += <usize>(task * width) << 2;
  memory.fill(out, 0, <usize>width << 2);
  const end = min(rows, (task + 1) * perTask);
  for (let i = task * perTask; i < end; i++) addScaled(width, 1, from + (<usize>(i * width) << 2), out);
}

/** to += scale · from over `count` floats. */
export function addScaled(count: i32, scale: f32, from: usize, to: usize): void {
  const s = f32x4.splat(scale);
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const o = <usize>i << 2;
    v128.store(to + o, madd(s, v128.load(from + o), v128.load(to + o)));
  }
  for (; i < count; i++) {
    const o = <usize>i << 2;
    store<f32>(to + o, load<f32>(to + o) + scale * load<f32>(from + o));
  }
}

/** to += part 0 + part 1 + …, in that order. `parts` lie one after the other, `count` floats each. */
export function addParts(parts: i32, count: i32, from: usize, to: usize): void {
  for (let p = 0; p < parts; p++) addScaled(count, 1, from + (<usize>(p * count) << 2), to);
}
