// How self-attention lays out one head in scratch memory. Lanes are keys: keys and values lie as lines, one line per
// component and whole vectors long; queries lie as rows of components. Absent keys are left out. Zeros fill up lines to
// a multiple of LANES keys, and components to a multiple of four. Lengths of lines and rows are in bytes.
import { madd } from '../madd';
import { keepUpTo } from '../store';

/** A line holds a multiple of this many keys, because `powersOfTwo` takes four vectors at a time. */
export const LANES: i32 = 16;

// @ts-ignore: decorator
@inline
function isAbsent(present: usize, j: i32): bool {
  return present != 0 && load<f32>(present + (<usize>j << 2)) == 0;
}

export function countPresent(n: i32, present: usize): i32 {
  let m = 0;
  for (let j = 0; j < n; j++) if (!isAbsent(present, j)) m++;
  return m;
}

/** Writes the present rows of `from`, times `scale`, as lines. */
export function toLines(
  n: i32, w: i32, present: usize, from: usize, row: usize, scale: f32, to: usize, line: usize,
): void {
  memory.fill(to, 0, <usize>((w + 3) & ~3) * line);
  const s = f32x4.splat(scale);
  for (let j = 0; j < n; j++, from += row) {
    if (isAbsent(present, j)) continue;
    let at = to;
    for (let c = 0; c < w; c += 4) {
      const v = f32x4.mul(s, keepUpTo(v128.load(from + (<usize>c << 2)), w - c));
      v128.store32_lane(at, v, 0);
      at += line;
      v128.store32_lane(at, v, 1);
      at += line;
      v128.store32_lane(at, v, 2);
      at += line;
      v128.store32_lane(at, v, 3);
      at += line;
    }
    to += 4;
  }
}

/** Adds the lines, times `scale`, to the present rows of `to`. */
export function addLines(
  n: i32, w: i32, present: usize, from: usize, line: usize, scale: f32, to: usize, row: usize,
): void {
  for (let j = 0; j < n; j++, to += row) {
    if (isAbsent(present, j)) continue;
    let at = from;
    for (let c = 0; c < w; c++, at += line) {
      const o = to + (<usize>c << 2);
      store<f32>(o, load<f32>(o) + scale * load<f32>(at));
    }
    from += 4;
  }
}

/** Copies one head's components of the rows of `from`; the copies are `width` bytes each. */
export function toRows(n: i32, w: i32, from: usize, row: usize, to: usize, width: usize): void {
  for (let i = 0; i < n; i++, from += row, to += width) {
    for (let c = 0; c < w; c += 4) {
      const o = <usize>c << 2;
      v128.store(to + o, keepUpTo(v128.load(from + o), w - c));
    }
  }
}

/** Largest Σ_c lines[c, j]² */
export function largestSquare(line: usize, width: usize, lines: usize): f32 {
  let most = f32x4.splat(0);
  for (let o: usize = 0; o < line; o += 16) {
    let square = f32x4.splat(0);
    for (let c: usize = 0; c < width; c += 4) {
      const v = v128.load(lines + (c >> 2) * line + o);
      square = madd(v, v, square);
    }
    most = f32x4.max(most, square);
  }
  return largestLane(most);
}

/** Gives the padding behind the m-th key a score that is no maximum and whose power is as good as zero. */
export function hidePadding(rows: i32, m: i32, line: usize, scores: usize): void {
  for (let r = 0; r < rows; r++, scores += line) {
    for (let o = <usize>m << 2; o < line; o += 4) store<f32>(scores + o, -1e30);
  }
}

export function rowMaximum(line: usize, scores: usize): f32 {
  let most = v128.load(scores);
  for (let o: usize = 16; o < line; o += 16) most = f32x4.max(most, v128.load(scores + o));
  return largestLane(most);
}

// @ts-ignore: decorator
@inline
function largestLane(v: v128): f32 {
  return max(
    max(f32x4.extract_lane(v, 0), f32x4.extract_lane(v, 1)), max(f32x4.extract_lane(v, 2), f32x4.extract_lane(v, 3)),
  );
}
