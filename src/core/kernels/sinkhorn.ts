// Sinkhorn–Knopp sweeps over a d×d matrix per owner, and the derivative through all of them. A task is a few owners.
//
// K is held twice, as rows and as columns, so that Kᵀr and Kc are both sums of scaled lines. Lines have w = d rounded
// up to 4 floats; what stands past d in a line is never stored to a tensor nor added across lanes.
// Backward, with s_t = −dr_t∘r_t² and q_t = −dc_t∘c_t²: dc_t = Kᵀs_t (+ the result's own), dr_{t−1} = Kq_t, and
// dK = (r_T c_Tᵀ)∘G + Σ_t (s_t c_tᵀ + r_{t−1} q_tᵀ), the sum being one product over 2T lines.
import { FROM_C, gemmHere } from './gemm';
import { madd } from './madd';
import { exp, sumLanes, tanh } from './math';
import { keepUpTo, storeUpTo } from './store';
import { thread } from './thread';

const SQUARE: i32 = 0;
/** ε of K = M∘M + ε, ½, 1/(2·0.01), 1/(4·0.01), 1, the smallest sum that is inverted */
const NUMBERS = memory.data<f32>([1e-12, 0.5, 50.0, 25.0, 1.0, 1e-37]);

/** Bytes of scratch memory a thread needs. */
export function sinkhornScratch(d: i32, sweeps: i32): i32 {
  const w = (d + 3) & ~3;
  return (3 * d * w + 4 * sweeps * w + 2 * w + 8) << 2;
}

/** K and its columns from the free matrix. */
function fill(kind: i32, d: i32, line: usize, free: usize, rows: usize, columns: usize): void {
  for (let i = 0; i < d; i++) {
    const from = free + (<usize>(i * d) << 2);
    const to = rows + <usize>i * line;
    for (let j = 0; j < d; j += 4) {
      const o = <usize>j << 2;
      const m = v128.load(from + o);
      if (kind == SQUARE) v128.store(to + o, madd(m, m, v128.load32_splat(NUMBERS)));
      // sigmoid(M) − ½ = ½ tanh(M/2)
      else {
        const t = tanh(f32x4.mul(m, v128.load32_splat(NUMBERS, 4)));
        v128.store(to + o, exp(f32x4.mul(t, v128.load32_splat(NUMBERS, 8))));
      }
    }
    for (let j = 0; j < d; j++) {
      store<f32>(columns + <usize>j * line + (<usize>i << 2), load<f32>(to + (<usize>j << 2)));
    }
  }
}

/** out = Σ_i coefficient_i · line i, over d lines. */
function combine(d: i32, line: usize, lines: usize, coefficients: usize, out: usize): void {
  let o: usize = 0;
  for (; o + 64 <= line; o += 64) {
    let at = lines + o;
    let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
    for (let i = 0; i < d; i++) {
      const x = v128.load32_splat(coefficients + (<usize>i << 2));
      s0 = madd(x, v128.load(at), s0);
      s1 = madd(x, v128.load(at, 16), s1);
      s2 = madd(x, v128.load(at, 32), s2);
      s3 = madd(x, v128.load(at, 48), s3);
      at += line;
    }
    v128.store(out + o, s0);
    v128.store(out + o, s1, 16);
    v128.store(out + o, s2, 32);
    v128.store(out + o, s3, 48);
  }
  for (; o < line; o += 16) {
    let at = lines + o;
    let sum = f32x4.splat(0);
    for (let i = 0; i < d; i++) {
      sum = madd(v128.load32_splat(coefficients + (<usize>i << 2)), v128.load(at), sum);
      at += line;
    }
    v128.store(out + o, sum);
  }
}

// @ts-ignore: decorator
@inline
function fillOnes(at: usize, line: usize): void {
  for (let o: usize = 0; o < line; o += 16) v128.store(at + o, v128.load32_splat(NUMBERS, 16));
}

// @ts-ignore: decorator
@inline
function invert(at: usize, line: usize): void {
  for (let o: usize = 0; o < line; o += 16) {
    const sum = f32x4.pmax(v128.load(at + o), v128.load32_splat(NUMBERS, 20));
    v128.store(at + o, f32x4.div(v128.load32_splat(NUMBERS, 16), sum));
  }
}

/** free, out: [owners, d, d]. `history` [owners, sweeps, 2, w] keeps c_t and r_t of every sweep. */
export function sinkhorn(
  task: i32, perTask: i32, owners: i32, d: i32, kind: i32, sweeps: i32,
  free: usize, out: usize, history: usize, scratch: usize, scratchBytes: usize,
): void {
  const line = <usize>((d + 3) & ~3) << 2;
  const matrix = <usize>(d * d) << 2;
  const rows = scratch + <usize>thread * scratchBytes;
  const columns = rows + <usize>d * line;
  const ones = columns + <usize>d * line;
  fillOnes(ones, line);
  const end = min(owners, (task + 1) * perTask);
  for (let owner = task * perTask; owner < end; owner++) {
    fill(kind, d, line, free + <usize>owner * matrix, rows, columns);
    let c = history + <usize>(owner * sweeps * 2) * line;
    let r = ones;
    for (let t = 0; t < sweeps; t++) {
      combine(d, line, rows, r, c);
      invert(c, line);
      r = c + line;
      combine(d, line, columns, c, r);
      invert(r, line);
      c = r + line;
    }
    c -= 2 * line;
    for (let i = 0; i < d; i++) {
      const ri = v128.load32_splat(r + (<usize>i << 2));
      const to = out + <usize>owner * matrix + (<usize>(i * d) << 2);
      for (let j = 0; j < d; j += 4) {
        const o = <usize>j << 2;
        storeUpTo(to + o, f32x4.mul(f32x4.mul(ri, v128.load(rows + <usize>i * line + o)), v128.load(c + o)), d - j);
      }
    }
  }
}

/** Adds to dFree for the task's owners, from dOut [owners, d, d] and the forward pass's `history`. */
export function sinkhornBackward(
  task: i32, perTask: i32, owners: i32, d: i32, kind: i32, sweeps: i32,
  free: usize, history: usize, dOut: usize, dFree: usize, scratch: usize, scratchBytes: usize,
): void {
  const line = <usize>((d + 3) & ~3) << 2;
  const matrix = <usize>(d * d) << 2;
  const rows = scratch + <usize>thread * scratchBytes;
  const columns = rows + <usize>d * line;
  const dK = columns + <usize>d * line;
  const left = dK + <usize>d * line;
  const right = left + <usize>(2 * sweeps) * line;
  const dr = right + <usize>(2 * sweeps) * line;
  const dc = dr + line;
  const end = min(owners, (task + 1) * perTask);
  for (let owner = task * perTask; owner < end; owner++) {
    fill(kind, d, line, free + <usize>owner * matrix, rows, columns);
    const first = history + <usize>(owner * sweeps * 2) * line;
    fromResult(d, line, rows, first + <usize>(2 * sweeps - 2) * line, dOut + <usize>owner * matrix, dK, dr, dc);
    for (let t = sweeps - 1; t >= 0; t--) {
      const c = first + <usize>(2 * t) * line;
      const r = c + line;
      const s = left + <usize>(2 * t) * line;
      const before = s + line;
      const copy = right + <usize>(2 * t) * line;
      const q = copy + line;
      towardsSum(line, dr, r, s);
      // The last c also scales the result, while the others act through r alone. At first `q` holds dc.
      combine(d, line, rows, s, q);
      if (t == sweeps - 1) {
        for (let o: usize = 0; o < line; o += 16) v128.store(q + o, f32x4.add(v128.load(q + o), v128.load(dc + o)));
      }
      towardsSum(line, q, c, q);
      memory.copy(copy, c, line);
      if (t > 0) memory.copy(before, c - line, line);
      else fillOnes(before, line);
      combine(d, line, columns, q, dr);
    }
    gemmHere(d, d, 2 * sweeps, left, 4, line, right, 32, line, dK, line, FROM_C, 0);
    toFree(kind, d, line, free + <usize>owner * matrix, rows, dK, dFree + <usize>owner * matrix);
  }
}

/** dK, dr and dc from the result diag(r) K diag(c) alone; `c` is followed by `r`. */
function fromResult(
  d: i32, line: usize, rows: usize, c: usize, dOut: usize, dK: usize, dr: usize, dc: usize,
): void {
  const r = c + line;
  memory.fill(dc, 0, line);
  for (let i = 0; i < d; i++) {
    const ri = v128.load32_splat(r + (<usize>i << 2));
    const row = <usize>i * line;
    let sum = f32x4.splat(0);
    for (let j = 0; j < d; j += 4) {
      const o = <usize>j << 2;
      const g = v128.load(dOut + (<usize>(i * d) << 2) + o);
      const gc = f32x4.mul(g, v128.load(c + o));
      const k = v128.load(rows + row + o);
      v128.store(dK + row + o, f32x4.mul(ri, gc));
      sum = f32x4.add(sum, keepUpTo(f32x4.mul(gc, k), d - j));
      v128.store(dc + o, madd(f32x4.mul(g, k), ri, v128.load(dc + o)));
    }
    store<f32>(dr + (<usize>i << 2), sumLanes(sum));
  }
}

/** Gradient of a sum x from that of y = 1/x: out = −dy∘y² */
// @ts-ignore: decorator
@inline
function towardsSum(line: usize, dy: usize, y: usize, out: usize): void {
  for (let o: usize = 0; o < line; o += 16) {
    const v = v128.load(y + o);
    v128.store(out + o, f32x4.neg(f32x4.mul(f32x4.mul(v128.load(dy + o), v), v)));
  }
}

/** dM += dK ∘ dK/dM */
function toFree(kind: i32, d: i32, line: usize, free: usize, rows: usize, dK: usize, dFree: usize): void {
  for (let i = 0; i < d; i++) {
    const row = <usize>i * line;
    for (let j = 0; j < d; j += 4) {
      const o = <usize>j << 2;
      const at = (<usize>(i * d) << 2) + o;
      const m = v128.load(free + at);
      let slope = f32x4.add(m, m);
      if (kind != SQUARE) {
        const t = tanh(f32x4.mul(m, v128.load32_splat(NUMBERS, 4)));
        const flat = f32x4.sub(v128.load32_splat(NUMBERS, 16), f32x4.mul(t, t));
        slope = f32x4.mul(f32x4.mul(flat, v128.load32_splat(NUMBERS, 12)), v128.load(rows + row + o));
      }
      storeUpTo(dFree + at, madd(v128.load(dK + row + o), slope, v128.load(dFree + at)), d - j);
    }
  }
}
