// Piecewise-linear codes times weights, without writing a code down.
//
// For a number x that lies the share f into bin t, the code is 1 before bin t, f in it and 0 after it. So code · W is
// Σ_{s<t} W_s + f W_t: a look-up in sums and one multiply-add. A task is an owner, whose tables [d, bins, h] stay in
// the cache while all examples pass.
import { madd } from './madd';
import { keepUpTo, storeUpTo } from './store';
import { thread } from './thread';

/**
 * sums[r, t] = Σ_{s<t} weights[r, s] for rows r = (owner, dimension) of `bins` vectors of h numbers. A task is some
 * rows.
 */
export function sumBinsBefore(
  task: i32, perTask: i32, rows: i32, bins: i32, h: i32, weights: usize, sums: usize,
): void {
  const vector = <usize>h << 2;
  const end = min(rows, (task + 1) * perTask);
  for (let r = task * perTask; r < end; r++) {
    const row = <usize>r * <usize>bins * vector;
    for (let k = 0; k < h; k += 4) {
      let from = weights + row + (<usize>k << 2);
      let to = sums + row + (<usize>k << 2);
      let sum = f32x4.splat(0);
      for (let t = 0; t < bins; t++) {
        storeUpTo(to, sum, h - k);
        sum = f32x4.add(sum, v128.load(from));
        from += vector;
        to += vector;
      }
    }
  }
}

/**
 * Where each of the d numbers at `x` lies between its edges [d, bins + 1]: to[k] = (bytes into the owner's tables,
 * share of the bin). Below the first and above the last edge the share leaves 0 to 1: the ends are straight lines. A
 * number on an edge belongs to the bin below, and a bin without width has no share: the code of what never varies is 0.
 */
// @ts-ignore: decorator
@inline
function locate(x: usize, edges: usize, d: i32, bins: i32, h: i32, to: usize): void {
  for (let k = 0; k < d; k++) {
    const value = load<f32>(x + (<usize>k << 2));
    const values = f32x4.splat(value);
    let bin = 0;
    for (let s = 1; s < bins; s += 4) {
      let passed = i32x4.bitmask(f32x4.lt(v128.load(edges + (<usize>s << 2)), values));
      if (bins - s < 4) passed &= (1 << (bins - s)) - 1;
      bin += popcnt<i32>(passed);
    }
    const low = load<f32>(edges + (<usize>bin << 2));
    const width = load<f32>(edges + (<usize>bin << 2), 4) - low;
    store<i32>(to, ((k * bins + bin) * h) << 2);
    store<f32>(to, width > 0 ? (value - low) / width : <f32>0, 4);
    edges += (<usize>bins + 1) << 2;
    to += 8;
  }
}

/** y[b, i] = bias_i + Σ_k code(x_bik) · W_ik for owner i = task; zeros where `present` (0: all are) is 0. */
export function encodedProjection(
  task: i32, batch: i32, owners: i32, d: i32, bins: i32, h: i32, x: usize, edges: usize, weights: usize, sums: usize,
  bias: usize, present: usize, y: usize, scratch: usize, scratchBytes: usize,
): void {
  const table = <usize>task * <usize>(d * bins * h) << 2;
  const places = scratch + <usize>thread * scratchBytes;
  const last = places + (<usize>d << 3);
  weights += table;
  sums += table;
  edges += <usize>task * <usize>(d * (bins + 1)) << 2;
  bias += bias ? <usize>task * (<usize>h << 2) : 0;
  for (let b = 0; b < batch; b++) {
    const row = b * owners + task;
    const out = y + (<usize>row * <usize>h << 2);
    if (present && load<f32>(present + (<usize>row << 2)) == 0) {
      memory.fill(out, 0, <usize>h << 2);
      continue;
    }
    locate(x + (<usize>row * <usize>d << 2), edges, d, bins, h, places);
    for (let c = 0; c < h; c += 8) {
      const o = <usize>c << 2;
      let s0 = bias ? v128.load(bias + o) : f32x4.splat(0);
      let s1 = bias ? v128.load(bias + o, 16) : f32x4.splat(0);
      for (let at = places; at < last; at += 8) {
        const offset = <usize>load<i32>(at) + o;
        const share = v128.load32_splat(at, 4);
        s0 = f32x4.add(s0, madd(share, v128.load(weights + offset), v128.load(sums + offset)));
        s1 = f32x4.add(s1, madd(share, v128.load(weights + offset, 16), v128.load(sums + offset, 16)));
      }
      storeUpTo(out + o, s0, h - c);
      if (h - c > 4) storeUpTo(out + o + 16, s1, h - c - 4);
    }
  }
}

/**
 * dW_s += Σ_b code_s dy_b, and dbias += Σ_b dy_b where dBias is not 0, for owner task. `totals` is working memory of
 * the tables' size: what arrived in a bin, all of which belongs to the bins before it.
 */
export function encodedProjectionBackward(
  task: i32, batch: i32, owners: i32, d: i32, bins: i32, h: i32, x: usize, edges: usize, present: usize, dy: usize,
  dWeights: usize, totals: usize, dBias: usize, scratch: usize, scratchBytes: usize,
): void {
  const size = <usize>(d * bins * h) << 2;
  const places = scratch + <usize>thread * scratchBytes;
  const last = places + (<usize>d << 3);
  dWeights += <usize>task * size;
  totals += <usize>task * size;
  edges += <usize>task * <usize>(d * (bins + 1)) << 2;
  dBias += dBias ? <usize>task * (<usize>h << 2) : 0;
  memory.fill(totals, 0, size);
  for (let b = 0; b < batch; b++) {
    const row = b * owners + task;
    if (present && load<f32>(present + (<usize>row << 2)) == 0) continue;
    const slope = dy + (<usize>row * <usize>h << 2);
    locate(x + (<usize>row * <usize>d << 2), edges, d, bins, h, places);
    for (let c = 0; c < h; c += 4) {
      const o = <usize>c << 2;
      // What lies past a row's end is the next table's: it gets nothing added.
      const g = keepUpTo(v128.load(slope + o), h - c);
      for (let at = places; at < last; at += 8) {
        const offset = <usize>load<i32>(at) + o;
        const share = v128.load32_splat(at, 4);
        storeUpTo(dWeights + offset, madd(share, g, v128.load(dWeights + offset)), h - c);
        storeUpTo(totals + offset, f32x4.add(g, v128.load(totals + offset)), h - c);
      }
      if (dBias) storeUpTo(dBias + o, f32x4.add(g, v128.load(dBias + o)), h - c);
    }
  }
  const vector = <usize>h << 2;
  for (let k = 0; k < d; k++) {
    for (let c = 0; c < h; c += 4) {
      let at = <usize>(((k + 1) * bins - 1) * h + c) << 2;
      let sum = f32x4.splat(0);
      for (let t = bins; t > 0; t--) {
        storeUpTo(dWeights + at, f32x4.add(sum, v128.load(dWeights + at)), h - c);
        sum = f32x4.add(sum, v128.load(totals + at));
        at -= vector;
      }
    }
  }
}
