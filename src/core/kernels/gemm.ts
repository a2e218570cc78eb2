// Matrix product in 4×8 tiles: C = A·B (+ C or a bias row). A is read one number at a time (any strides), B in rows of
// eight, so neither needs packing. Columns past the end are computed on whatever lies there and never stored.
import { madd } from './madd';

/** Where a tile starts from. */
export const FROM_ZERO: i32 = 0;
export const FROM_C: i32 = 1;
export const FROM_BIAS: i32 = 2;

// @ts-ignore: decorator
@inline
function storeRow(at: usize, low: v128, high: v128, columns: i32): void {
  if (columns >= 8) {
    v128.store(at, low);
    v128.store(at, high, 16);
    return;
  }
  let rest = low;
  let count = columns;
  if (count >= 4) {
    v128.store(at, low);
    at += 16;
    count -= 4;
    rest = high;
  }
  if (count > 0) v128.store32_lane(at, rest, 0);
  if (count > 1) v128.store32_lane(at, rest, 1, 4);
  if (count > 2) v128.store32_lane(at, rest, 2, 8);
}

/** One tile: `rows` ≤ 4 by `columns` ≤ 8. Strides in bytes. */
export function gemmTile(
  rows: i32, columns: i32, k: i32,
  a: usize, aRow: usize, aStep: usize,
  b: usize, bStep: usize,
  c: usize, cRow: usize, start: i32, bias: usize,
): void {
  // Rows past the end repeat the last one and are not stored.
  let a0 = a;
  let a1 = rows > 1 ? a0 + aRow : a0;
  let a2 = rows > 2 ? a1 + aRow : a1;
  let a3 = rows > 3 ? a2 + aRow : a2;
  const c0 = c;
  const c1 = rows > 1 ? c0 + cRow : c0;
  const c2 = rows > 2 ? c1 + cRow : c1;
  const c3 = rows > 3 ? c2 + cRow : c2;
  let s00 = f32x4.splat(0);
  let s01 = s00, s10 = s00, s11 = s00, s20 = s00, s21 = s00, s30 = s00, s31 = s00;
  if (start == FROM_C) {
    s00 = v128.load(c0);
    s01 = v128.load(c0, 16);
    s10 = v128.load(c1);
    s11 = v128.load(c1, 16);
    s20 = v128.load(c2);
    s21 = v128.load(c2, 16);
    s30 = v128.load(c3);
    s31 = v128.load(c3, 16);
  } else if (start == FROM_BIAS) {
    s00 = s10 = s20 = s30 = v128.load(bias);
    s01 = s11 = s21 = s31 = v128.load(bias, 16);
  }
  while (k > 0) {
    const low = v128.load(b);
    const high = v128.load(b, 16);
    let x = v128.load32_splat(a0);
    s00 = madd(x, low, s00);
    s01 = madd(x, high, s01);
    x = v128.load32_splat(a1);
    s10 = madd(x, low, s10);
    s11 = madd(x, high, s11);
    x = v128.load32_splat(a2);
    s20 = madd(x, low, s20);
    s21 = madd(x, high, s21);
    x = v128.load32_splat(a3);
    s30 = madd(x, low, s30);
    s31 = madd(x, high, s31);
    a0 += aStep;
    a1 += aStep;
    a2 += aStep;
    a3 += aStep;
    b += bStep;
    k--;
  }
  storeRow(c0, s00, s01, columns);
  if (rows > 1) storeRow(c1, s10, s11, columns);
  if (rows > 2) storeRow(c2, s20, s21, columns);
  if (rows > 3) storeRow(c3, s30, s31, columns);
}

/**
 * Terms summed at a time: a panel of B and four rows of A then stay in the first-level cache whatever their strides.
 */
const DEPTH: i32 = 208;

/** C[m×n] from A[m×k] and B[k×n] on this thread. Strides in bytes; `bPanel` is the way from column j to column j+8. */
export function gemmHere(
  m: i32, n: i32, k: i32,
  a: usize, aRow: usize, aStep: usize,
  b: usize, bPanel: usize, bStep: usize,
  c: usize, cRow: usize, start: i32, bias: usize,
): void {
  do {
    const depth = min(k, DEPTH);
    let panel = b;
    for (let j = 0; j < n; j += 8) {
      for (let i = 0; i < m; i += 4) {
        gemmTile(
          min(4, m - i), min(8, n - j), depth,
          a + <usize>i * aRow, aRow, aStep, panel, bStep,
          c + <usize>i * cRow + (<usize>j << 2), cRow, start, bias + (<usize>j << 2),
        );
      }
      panel += bPanel;
    }
    a += <usize>depth * aStep;
    b += <usize>depth * bStep;
    k -= depth;
    start = FROM_C;
  } while (k > 0);
}

/**
 * A task of a larger product. Each task moves A, B and C by its own stride: over rows, over examples, or over pieces of
 * the sum. `m` and `k` are per task; the last task stops at `mTotal` and `kTotal`.
 */
export function gemm(
  task: i32, m: i32, n: i32, k: i32, mTotal: i32, kTotal: i32,
  a: usize, aTask: usize, aRow: usize, aStep: usize,
  b: usize, bTask: usize, bPanel: usize, bStep: usize,
  c: usize, cTask: usize, cRow: usize, start: i32, bias: usize, biasTask: usize,
): void {
  const t = <usize>task;
  gemmHere(
    min(m, mTotal - task * m), n, min(k, kTotal - task * k),
    a + t * aTask, aRow, aStep, b + t * bTask, bPanel, bStep, c + t * cTask, cRow, start, bias + t * biasTask,
  );
}
