// Graph convolution with one sampled graph per example (Eq. 8): random number → z → normalised product, fused.
//
// Ã = A + I, r = (Ã1)^−½, Â = diag(r) Ã diag(r) (+ I with skip). Forward: convolved = ÂY and pooled = Âᵀm, where m
// marks the owners that count. With Ye = [Y | m] and Ge the gradients of both results, S = Ã(r∘Ye) and T = Ã(r∘Ge):
//   dYe = r∘T (+ Ge),  dr = Ge·S + Ye·T,  d(degree) = −½ r³ dr,
//   dz_ij = r_i r_j (Ge_i·Ye_j + Ge_j·Ye_i) + d(degree)_i + d(degree)_j.
// Only the edge slots z are kept between the two passes; the full matrix lives in per-thread scratch memory.
import { edgeSlots, rowBlockAt, sampleEdges } from './edges';
import { FROM_ZERO, gemmHere } from './gemm';
import { madd } from './madd';
import { sumLanes } from './math';
import { storeUpTo } from './store';
import { thread } from './thread';

/**
 * Writes the slots as a full symmetric matrix with rows of n4 floats. Adds its row sums to `degree` unless that is 0.
 */
function expand(n: i32, z: usize, matrix: usize, degree: usize): void {
  const blocks = (n + 3) >> 2;
  const row = <usize>blocks << 4;
  for (let p = 0; p < blocks; p++) {
    const width = <usize>(blocks - p) << 4;
    let from = z + rowBlockAt(p, blocks);
    let across = matrix + (<usize>p << 2) * row + (<usize>p << 4);
    let down = across;
    let sums = f32x4.splat(0);
    for (let q = p; q < blocks; q++) {
      let a = v128.load(from);
      let b = v128.load(from + width);
      let c = v128.load(from + 2 * width);
      let d = v128.load(from + 3 * width);
      const ab0 = v128.shuffle<f32>(a, b, 0, 4, 1, 5);
      const ab1 = v128.shuffle<f32>(a, b, 2, 6, 3, 7);
      const cd0 = v128.shuffle<f32>(c, d, 0, 4, 1, 5);
      const cd1 = v128.shuffle<f32>(c, d, 2, 6, 3, 7);
      let ta = v128.shuffle<f32>(ab0, cd0, 0, 1, 4, 5);
      let tb = v128.shuffle<f32>(ab0, cd0, 2, 3, 6, 7);
      let tc = v128.shuffle<f32>(ab1, cd1, 0, 1, 4, 5);
      let td = v128.shuffle<f32>(ab1, cd1, 2, 3, 6, 7);
      if (q == p) {
        ta = f32x4.add(ta, a);
        tb = f32x4.add(tb, b);
        tc = f32x4.add(tc, c);
        td = f32x4.add(td, d);
      } else {
        v128.store(across, a);
        v128.store(across + row, b);
        v128.store(across + 2 * row, c);
        v128.store(across + 3 * row, d);
        if (degree) {
          const to = degree + (<usize>q << 4);
          v128.store(to, f32x4.add(v128.load(to), f32x4.add(f32x4.add(a, b), f32x4.add(c, d))));
        }
      }
      v128.store(down, ta);
      v128.store(down + row, tb);
      v128.store(down + 2 * row, tc);
      v128.store(down + 3 * row, td);
      sums = f32x4.add(sums, f32x4.add(f32x4.add(ta, tb), f32x4.add(tc, td)));
      from += 16;
      across += 16;
      down += row << 2;
    }
    if (degree) {
      const to = degree + (<usize>p << 4);
      v128.store(to, f32x4.add(v128.load(to), sums));
    }
  }
}

/** out = matrix · x for a full matrix with rows of n4 floats. */
function matrixVector(n4: i32, matrix: usize, x: usize, out: usize): void {
  const row = <usize>n4 << 2;
  for (let i = 0; i < n4; i += 4) {
    let a = matrix + <usize>i * row;
    let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
    const end = x + row;
    for (let at = x; at < end; at += 16) {
      const v = v128.load(at);
      s0 = madd(v, v128.load(a), s0);
      s1 = madd(v, v128.load(a + row), s1);
      s2 = madd(v, v128.load(a + 2 * row), s2);
      s3 = madd(v, v128.load(a + 3 * row), s3);
      a += 16;
    }
    v128.store(out + (<usize>i << 2), f32x4(sumLanes(s0), sumLanes(s1), sumLanes(s2), sumLanes(s3)));
  }
}

/** Bytes of scratch memory a thread needs. */
export function sampledConvolutionScratch(n: i32, h: i32): i32 {
  const n4 = (n + 3) & ~3;
  const h8 = (h + 7) & ~7;
  return (n4 * n4 + 2 * n4 * h8 + 4 * n4) << 2;
}

/** Floats per example that the backward pass hands from owners to edges. */
export function edgeFactorFloats(n: i32, h: i32): i32 {
  return (2 * (h + 1) + 1) * ((n + 3) & ~3);
}

/** Example `task`: samples its graph, then convolved [n, h] and pooled [n]; `r` [n4] is kept for the backward pass. */
export function sampledConvolution(
  task: i32, n: i32, h: i32, kind: i32, sharpness: f32, step: i32, stream: i32, seed0: i32, seed1: i32,
  quantile: usize, z: usize, y: usize, mask: usize, skip: f32,
  convolved: usize, pooled: usize, r: usize, scratch: usize, scratchBytes: usize,
): void {
  const t = <usize>task;
  const n4 = (n + 3) & ~3;
  const h8 = (h + 7) & ~7;
  z += t * (<usize>edgeSlots(n) << 2);
  y += t * (<usize>(n * h) << 2);
  convolved += t * (<usize>(n * h) << 2);
  pooled += t * (<usize>n << 2);
  r += t * (<usize>n4 << 2);
  if (mask) mask += t * (<usize>n << 2);
  const matrix = scratch + <usize>thread * scratchBytes;
  const v = matrix + (<usize>(n4 * n4) << 2);
  const u = v + (<usize>(n4 * h8) << 2);
  const x = u + (<usize>(n4 * h8) << 2);
  const w = x + (<usize>n4 << 2);

  sampleEdges(task, n, kind, sharpness, step, stream, seed0, seed1, quantile, z);
  memory.fill(r, 0, <usize>n4 << 2);
  expand(n, z, matrix, r);
  for (let i = 0; i < n4; i += 4) {
    const at = r + (<usize>i << 2);
    v128.store(at, f32x4.div(f32x4.splat(1), f32x4.sqrt(f32x4.add(v128.load(at), f32x4.splat(1)))));
  }
  for (let i = 0; i < n4; i++) {
    const ri = load<f32>(r + (<usize>i << 2));
    const m: f32 = i >= n ? 0 : mask ? load<f32>(mask + (<usize>i << 2)) : 1;
    store<f32>(x + (<usize>i << 2), ri * m);
    scaleRow(i < n, h, h8, y + (<usize>(i * h) << 2), ri, v + (<usize>(i * h8) << 2));
  }
  gemmHere(n4, h8, n4, matrix, <usize>n4 << 2, 4, v, 32, <usize>h8 << 2, u, <usize>h8 << 2, FROM_ZERO, 0);
  matrixVector(n4, matrix, x, w);
  for (let i = 0; i < n; i++) {
    const ri = load<f32>(r + (<usize>i << 2));
    const xi = load<f32>(x + (<usize>i << 2));
    const m: f32 = mask ? load<f32>(mask + (<usize>i << 2)) : 1;
    store<f32>(pooled + (<usize>i << 2), ri * (load<f32>(w + (<usize>i << 2)) + xi) + skip * m);
    const rv = f32x4.splat(ri);
    const sv = f32x4.splat(skip);
    const from = <usize>(i * h8) << 2;
    const row = <usize>(i * h) << 2;
    for (let k = 0; k < h; k += 4) {
      const o = <usize>k << 2;
      const sum = f32x4.add(v128.load(u + from + o), v128.load(v + from + o));
      storeUpTo(convolved + row + o, madd(rv, sum, f32x4.mul(sv, v128.load(y + row + o))), h - k);
    }
  }
}

/** to[0 … h8) = r · from[0 … h), zeros behind; all zeros for a row that does not exist. */
// @ts-ignore: decorator
@inline
function scaleRow(exists: bool, h: i32, h8: i32, from: usize, r: f32, to: usize): void {
  const rv = f32x4.splat(r);
  for (let k = 0; k < h8; k += 4) {
    const o = <usize>k << 2;
    if (exists && k + 4 <= h) v128.store(to + o, f32x4.mul(rv, v128.load(from + o)));
    else {
      for (let l = k; l < k + 4; l++) {
        const lo = <usize>l << 2;
        store<f32>(to + lo, exists && l < h ? r * load<f32>(from + lo) : <f32>0);
      }
    }
  }
}

/** Example `task`: adds to dY, and writes the factors from which `edgeGradients` makes the edges' gradients. */
export function sampledConvolutionBackward(
  task: i32, n: i32, h: i32, z: usize, y: usize, mask: usize, skip: f32, convolved: usize, pooled: usize, r: usize,
  dConvolved: usize, dPooled: usize, dY: usize, factors: usize, scratch: usize, scratchBytes: usize,
): void {
  const t = <usize>task;
  const n4 = (n + 3) & ~3;
  const h8 = (h + 7) & ~7;
  const rows = t * (<usize>(n * h) << 2);
  const owners = t * (<usize>n << 2);
  z += t * (<usize>edgeSlots(n) << 2);
  r += t * (<usize>n4 << 2);
  factors += t * (<usize>edgeFactorFloats(n, h) << 2);
  const line = <usize>n4 << 2;
  const gradientLines = factors;
  const valueLines = factors + <usize>(h + 1) * line;
  const degreeLine = valueLines + <usize>(h + 1) * line;
  const matrix = scratch + <usize>thread * scratchBytes;
  const v = matrix + (<usize>(n4 * n4) << 2);
  const u = v + (<usize>(n4 * h8) << 2);
  const x = u + (<usize>(n4 * h8) << 2);
  const w = x + line;

  expand(n, z, matrix, 0);
  for (let i = 0; i < n4; i++) {
    const ri = load<f32>(r + (<usize>i << 2));
    store<f32>(x + (<usize>i << 2), i < n ? ri * load<f32>(dPooled + owners + (<usize>i << 2)) : 0);
    scaleRow(i < n, h, h8, dConvolved + rows + (<usize>(i * h) << 2), ri, v + (<usize>(i * h8) << 2));
  }
  gemmHere(n4, h8, n4, matrix, line, 4, v, 32, <usize>h8 << 2, u, <usize>h8 << 2, FROM_ZERO, 0);
  matrixVector(n4, matrix, x, w);
  memory.fill(factors, 0, <usize>edgeFactorFloats(n, h) << 2);
  for (let i = 0; i < n; i++) {
    const o = <usize>i << 2;
    const ri = load<f32>(r + o);
    const m: f32 = mask ? load<f32>(mask + owners + o) : 1;
    const g = load<f32>(dPooled + owners + o);
    const inverse: f32 = <f32>1 / ri;
    // dr_i = Ge_i·S_i + Ye_i·T_i, the pooled column first
    let dr = g * (load<f32>(pooled + owners + o) - skip * m) * inverse + m * (load<f32>(w + o) + load<f32>(x + o));
    store<f32>(gradientLines + <usize>h * line + o, load<f32>(x + o));
    store<f32>(valueLines + <usize>h * line + o, ri * m);
    const row = rows + (<usize>(i * h) << 2);
    const padded = <usize>(i * h8) << 2;
    for (let k = 0; k < h; k++) {
      const c = <usize>k << 2;
      const yk = load<f32>(y + row + c);
      const gk = load<f32>(dConvolved + row + c);
      const vk = load<f32>(v + padded + c);
      const tk = load<f32>(u + padded + c) + vk;
      dr += gk * (load<f32>(convolved + row + c) - skip * yk) * inverse + yk * tk;
      if (dY) store<f32>(dY + row + c, load<f32>(dY + row + c) + ri * tk + skip * gk);
      store<f32>(gradientLines + <usize>k * line + o, vk);
      store<f32>(valueLines + <usize>k * line + o, ri * yk);
    }
    store<f32>(degreeLine + o, <f32>-0.5 * ri * ri * ri * dr);
  }
}

/** Rows of one 4-row strip of slots, from column `j`, `wide` (8 or 4) columns: dQuantile += z(1 − z) · dz. */
// @ts-ignore: decorator
@inline
function gradientTile(
  wide: bool, h: i32, i: usize, j: usize, line: usize, width: usize, factors: usize, z: usize, dQuantile: usize,
): void {
  const lines = <usize>(h + 1) * line;
  const degrees = factors + 2 * lines;
  const d0 = v128.load(degrees + j);
  const d1 = wide ? v128.load(degrees + j, 16) : d0;
  let x = v128.load32_splat(degrees + i);
  let s00 = f32x4.add(x, d0), s01 = f32x4.add(x, d1);
  x = v128.load32_splat(degrees + i, 4);
  let s10 = f32x4.add(x, d0), s11 = f32x4.add(x, d1);
  x = v128.load32_splat(degrees + i, 8);
  let s20 = f32x4.add(x, d0), s21 = f32x4.add(x, d1);
  x = v128.load32_splat(degrees + i, 12);
  let s30 = f32x4.add(x, d0), s31 = f32x4.add(x, d1);
  // The loop runs twice over the lines: gradients of i with values of j, then values of i with gradients of j.
  let left = factors + i;
  let right = factors + lines + j;
  for (let half = 0; half < 2; half++) {
    for (let k = 0; k <= h; k++) {
      const b0 = v128.load(right);
      const b1 = wide ? v128.load(right, 16) : b0;
      x = v128.load32_splat(left);
      s00 = madd(x, b0, s00);
      if (wide) s01 = madd(x, b1, s01);
      x = v128.load32_splat(left, 4);
      s10 = madd(x, b0, s10);
      if (wide) s11 = madd(x, b1, s11);
      x = v128.load32_splat(left, 8);
      s20 = madd(x, b0, s20);
      if (wide) s21 = madd(x, b1, s21);
      x = v128.load32_splat(left, 12);
      s30 = madd(x, b0, s30);
      if (wide) s31 = madd(x, b1, s31);
      left += line;
      right += line;
    }
    right = factors + j;
  }
  chain(z, dQuantile, s00);
  if (wide) chain(z + 16, dQuantile + 16, s01);
  chain(z + width, dQuantile + width, s10);
  if (wide) chain(z + width + 16, dQuantile + width + 16, s11);
  chain(z + 2 * width, dQuantile + 2 * width, s20);
  if (wide) chain(z + 2 * width + 16, dQuantile + 2 * width + 16, s21);
  chain(z + 3 * width, dQuantile + 3 * width, s30);
  if (wide) chain(z + 3 * width + 16, dQuantile + 3 * width + 16, s31);
}

/** dQuantile += dz · z(1 − z) */
// @ts-ignore: decorator
@inline
function chain(z: usize, dQuantile: usize, dz: v128): void {
  const value = v128.load(z);
  const slope = f32x4.sub(value, f32x4.mul(value, value));
  v128.store(dQuantile, madd(slope, dz, v128.load(dQuantile)));
}

/** dL/dquantile · τ for row blocks 4·task … 4·task+3, summed over the examples in their order. */
export function edgeGradients(task: i32, n: i32, h: i32, batch: i32, z: usize, factors: usize, dQuantile: usize): void {
  const blocks = (n + 3) >> 2;
  const line = <usize>blocks << 4;
  const slots = <usize>edgeSlots(n) << 2;
  const perExample = <usize>edgeFactorFloats(n, h) << 2;
  const first = task << 2;
  const last = min(first + 4, blocks);
  memory.fill(dQuantile + rowBlockAt(first, blocks), 0, rowBlockAt(last, blocks) - rowBlockAt(first, blocks));
  for (let b = 0; b < batch; b++) {
    for (let p = first; p < last; p++) {
      const width = <usize>(blocks - p) << 4;
      const i = <usize>p << 4;
      let at = rowBlockAt(p, blocks);
      let j = i;
      for (; j + 32 <= line; j += 32, at += 32) {
        gradientTile(true, h, i, j, line, width, factors, z + at, dQuantile + at);
      }
      if (j < line) gradientTile(false, h, i, j, line, width, factors, z + at, dQuantile + at);
    }
    z += slots;
    factors += perExample;
  }
}
