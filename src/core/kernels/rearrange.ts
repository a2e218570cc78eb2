// Transposes, row gathers and sums over rows.
import { madd } from './madd';

/** to[c, r] = from[r, c] for matrix `task` of a stack, in blocks of 4×4; what is left is moved one by one. */
export function transpose(task: i32, rows: i32, columns: i32, from: usize, to: usize): void {
  const matrix = <usize>task * (<usize>(rows * columns) << 2);
  from += matrix;
  to += matrix;
  const fromRow = <usize>columns << 2;
  const toRow = <usize>rows << 2;
  const blockRows = rows & ~3;
  const blockColumns = columns & ~3;
  for (let r = 0; r < blockRows; r += 4) {
    let at = from + <usize>r * fromRow;
    let out = to + (<usize>r << 2);
    for (let c = 0; c < blockColumns; c += 4) {
      const a = v128.load(at);
      const b = v128.load(at + fromRow);
      const d = v128.load(at + 2 * fromRow);
      const e = v128.load(at + 3 * fromRow);
      const ab0 = v128.shuffle<f32>(a, b, 0, 4, 1, 5);
      const ab1 = v128.shuffle<f32>(a, b, 2, 6, 3, 7);
      const de0 = v128.shuffle<f32>(d, e, 0, 4, 1, 5);
      const de1 = v128.shuffle<f32>(d, e, 2, 6, 3, 7);
      v128.store(out, v128.shuffle<f32>(ab0, de0, 0, 1, 4, 5));
      v128.store(out + toRow, v128.shuffle<f32>(ab0, de0, 2, 3, 6, 7));
      v128.store(out + 2 * toRow, v128.shuffle<f32>(ab1, de1, 0, 1, 4, 5));
      v128.store(out + 3 * toRow, v128.shuffle<f32>(ab1, de1, 2, 3, 6, 7));
      at += 16;
      out += 4 * toRow;
    }
  }
  for (let r = 0; r < rows; r++) {
    for (let c = r < blockRows ? blockColumns : 0; c < columns; c++) {
      store<f32>(to + <usize>c * toRow + (<usize>r << 2), load<f32>(from + <usize>r * fromRow + (<usize>c << 2)));
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
