// The products of self-attention over one head: components of queries against lines of keys or values (see
// attention-lines.ts). Weights such as scores and probabilities are rows that are as long as a line.
import { madd } from '../madd';
import { sumLanes } from '../math';
import { storeUpTo } from '../store';

/** to[r, j] = starts[r] + Σ_c a[r, c] lines[c, j], and that times p[r, j] unless p is 0. */
export function products(
  rows: i32, line: usize, width: usize, a: usize, lines: usize, starts: usize, p: usize, to: usize,
): void {
  if (p && width == 16) {
    fourComponents(true, true, rows, line, width, a, lines, starts, p, to);
    return;
  }
  fourComponents(true, false, rows, line, width, a, lines, starts, 0, to);
  for (let c: usize = 16; c < width; c += 16) {
    fourComponents(false, false, rows, line, width, a + c, lines + (c >> 2) * line, 0, 0, to);
  }
  if (!p) return;
  for (const end = to + <usize>rows * line; to < end; to += 16, p += 16) {
    v128.store(to, f32x4.mul(v128.load(to), v128.load(p)));
  }
}

/** Sums over four components. The first four begin with `starts`, the others add to what is there. */
// @ts-ignore: decorator
@inline
function fourComponents(
  first: bool, times: bool, rows: i32, line: usize, width: usize, a: usize, lines: usize, starts: usize, p: usize,
  to: usize,
): void {
  for (let o: usize = 0; o < line; o += 32) {
    // Eight keys stay in registers while the rows pass by.
    let b = lines + o;
    const b00 = v128.load(b), b01 = v128.load(b, 16);
    b += line;
    const b10 = v128.load(b), b11 = v128.load(b, 16);
    b += line;
    const b20 = v128.load(b), b21 = v128.load(b, 16);
    b += line;
    const b30 = v128.load(b), b31 = v128.load(b, 16);
    let from = a;
    let at = o;
    let start = starts;
    for (let r = 0; r < rows; r++) {
      let s0 = first ? v128.load32_splat(start) : v128.load(to + at);
      let s1 = first ? s0 : v128.load(to + at, 16);
      let x = v128.load32_splat(from);
      s0 = madd(x, b00, s0);
      s1 = madd(x, b01, s1);
      x = v128.load32_splat(from, 4);
      s0 = madd(x, b10, s0);
      s1 = madd(x, b11, s1);
      x = v128.load32_splat(from, 8);
      s0 = madd(x, b20, s0);
      s1 = madd(x, b21, s1);
      x = v128.load32_splat(from, 12);
      s0 = madd(x, b30, s0);
      s1 = madd(x, b31, s1);
      v128.store(to + at, times ? f32x4.mul(s0, v128.load(p + at)) : s0);
      v128.store(to + at, times ? f32x4.mul(s1, v128.load(p + at, 16)) : s1, 16);
      start += 4;
      from += width;
      at += line;
    }
  }
}

/** lines[c, j] += Σ_r a[r, c] p[r, j] */
export function addProducts(rows: i32, line: usize, width: usize, a: usize, p: usize, lines: usize): void {
  for (let c: usize = 0; c < width; c += 16) {
    for (let o: usize = 0; o < line; o += 32) {
      const t0 = lines + (c >> 2) * line + o;
      const t1 = t0 + line;
      const t2 = t1 + line;
      const t3 = t2 + line;
      let s00 = v128.load(t0), s01 = v128.load(t0, 16), s10 = v128.load(t1), s11 = v128.load(t1, 16);
      let s20 = v128.load(t2), s21 = v128.load(t2, 16), s30 = v128.load(t3), s31 = v128.load(t3, 16);
      let from = a + c;
      let at = p + o;
      for (let r = 0; r < rows; r++) {
        const low = v128.load(at), high = v128.load(at, 16);
        let x = v128.load32_splat(from);
        s00 = madd(x, low, s00);
        s01 = madd(x, high, s01);
        x = v128.load32_splat(from, 4);
        s10 = madd(x, low, s10);
        s11 = madd(x, high, s11);
        x = v128.load32_splat(from, 8);
        s20 = madd(x, low, s20);
        s21 = madd(x, high, s21);
        x = v128.load32_splat(from, 12);
        s30 = madd(x, low, s30);
        s31 = madd(x, high, s31);
        from += width;
        at += line;
      }
      v128.store(t0, s00);
      v128.store(t0, s01, 16);
      v128.store(t1, s10);
      v128.store(t1, s11, 16);
      v128.store(t2, s20);
      v128.store(t2, s21, 16);
      v128.store(t3, s30);
      v128.store(t3, s31, 16);
    }
  }
}

/** A vector with the lane sums of a, b, c and d. */
// @ts-ignore: decorator
@inline
function sumsOfLanes(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.add(v128.shuffle<f32>(a, b, 0, 4, 1, 5), v128.shuffle<f32>(a, b, 2, 6, 3, 7));
  const cd = f32x4.add(v128.shuffle<f32>(c, d, 0, 4, 1, 5), v128.shuffle<f32>(c, d, 2, 6, 3, 7));
  return f32x4.add(v128.shuffle<f32>(ab, cd, 0, 1, 4, 5), v128.shuffle<f32>(ab, cd, 2, 3, 6, 7));
}

/** to[r, c] = Σ_j p[r, j] lines[c, j] / sums[r] with sums[r] = Σ_j p[r, j] */
export function weightedMeans(
  rows: i32, w: i32, line: usize, p: usize, lines: usize, sums: usize, to: usize, row: usize,
): void {
  for (let r = 0; r < rows; r += 2) {
    twoRows(true, rows - r, w, line, p + <usize>r * line, lines, 1, sums + (<usize>r << 2), to + <usize>r * row, row);
  }
}

/** to[r, c] += scale · Σ_j p[r, j] lines[c, j] */
export function addWeightedSums(
  rows: i32, w: i32, line: usize, p: usize, lines: usize, scale: f32, to: usize, row: usize,
): void {
  for (let r = 0; r < rows; r += 2) {
    twoRows(false, rows - r, w, line, p + <usize>r * line, lines, scale, 0, to + <usize>r * row, row);
  }
}

/** Writes the means of up to two rows, or adds their sums to what is there. */
// @ts-ignore: decorator
@inline
function twoRows(
  means: bool, rows: i32, w: i32, line: usize, p0: usize, lines: usize, scale: f32, sums: usize, to: usize, row: usize,
): void {
  const p1 = rows > 1 ? p0 + line : p0;
  for (let c = 0; c < w; c += 4) {
    const b0 = lines + <usize>c * line;
    const b1 = b0 + line;
    const b2 = b1 + line;
    const b3 = b2 + line;
    let s00 = f32x4.splat(0);
    let s01 = s00, s02 = s00, s03 = s00, s10 = s00, s11 = s00, s12 = s00, s13 = s00, t0 = s00, t1 = s00;
    for (let o: usize = 0; o < line; o += 16) {
      const x0 = v128.load(p0 + o);
      const x1 = v128.load(p1 + o);
      let y = v128.load(b0 + o);
      s00 = madd(x0, y, s00);
      s10 = madd(x1, y, s10);
      y = v128.load(b1 + o);
      s01 = madd(x0, y, s01);
      s11 = madd(x1, y, s11);
      y = v128.load(b2 + o);
      s02 = madd(x0, y, s02);
      s12 = madd(x1, y, s12);
      y = v128.load(b3 + o);
      s03 = madd(x0, y, s03);
      s13 = madd(x1, y, s13);
      if (means) {
        t0 = f32x4.add(t0, x0);
        t1 = f32x4.add(t1, x1);
      }
    }
    addRow(means, w - c, sumsOfLanes(s00, s01, s02, s03), t0, scale, sums, to + (<usize>c << 2));
    if (rows > 1) addRow(means, w - c, sumsOfLanes(s10, s11, s12, s13), t1, scale, sums + 4, to + row + (<usize>c << 2));
  }
}

// @ts-ignore: decorator
@inline
function addRow(mean: bool, count: i32, values: v128, weights: v128, scale: f32, sum: usize, to: usize): void {
  if (mean) {
    const weight = sumLanes(weights);
    store<f32>(sum, weight);
    storeUpTo(to, f32x4.div(values, f32x4.splat(weight)), count);
  } else storeUpTo(to, madd(values, f32x4.splat(scale), v128.load(to)), count);
}
