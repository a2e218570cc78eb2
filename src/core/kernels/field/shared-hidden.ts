// The hidden layer on shares, y = ¼z² + ½z, in the field 2^127 − 1: sums and products that are local to an entity. Weights are public, below 2^32.
//
// Arrays of owners are [owner, sample, hidden]. A task is one sample, or one owner where stated.
import { storeProduct, storeSmallProduct, storeSum } from './field';

// @ts-ignore: decorator
@inline
function add(to: usize, x: usize): void {
  storeSum(to, load<u64>(to), load<u64>(to, 8), load<u64>(x), load<u64>(x, 8));
}

/** out[owner] = z[owner] + bias for the owner `task`: [samples, h] + [h] */
export function sharedAddBias(task: i32, samples: i32, h: i32, z: usize, bias: usize, out: usize): void {
  let at = <usize>(task * samples * h) << 4;
  for (let b = 0; b < samples; b++) {
    for (let k = 0; k < h; k++) {
      const from = bias + (<usize>k << 4);
      storeSum(out + at, load<u64>(z + at), load<u64>(z + at, 8), load<u64>(from), load<u64>(from, 8));
      at += 16;
    }
  }
}

/** out[b, k] = Σ_i w_bi·z_ibk·(z_ibk + two); `weightStep` numbers lie between the weights of two samples, or 0 */
export function sharedPool(
  b: i32, owners: i32, samples: i32, h: i32, weights: usize, weightStep: i32, z: usize, two: usize, out: usize,
  scratch: usize,
): void {
  const t0 = load<u64>(two), t1 = load<u64>(two, 8);
  const to = out + (<usize>(b * h) << 4);
  memory.fill(to, 0, <usize>h << 4);
  scratch += <usize>b << 4;
  for (let i = 0; i < owners; i++) {
    const w = <u64>load<u32>(weights + (<usize>(b * weightStep + i) << 2));
    if (w == 0) continue;
    let from = z + (<usize>((i * samples + b) * h) << 4);
    for (let k = 0; k < h; k++) {
      const z0 = load<u64>(from), z1 = load<u64>(from, 8);
      storeSum(scratch, z0, z1, t0, t1);
      storeProduct(scratch, load<u64>(scratch), load<u64>(scratch, 8), z0, z1);
      storeSmallProduct(scratch, load<u64>(scratch), load<u64>(scratch, 8), w);
      add(to + (<usize>k << 4), scratch);
      from += 16;
    }
  }
}

/** dz_ibk = w_bi·(z_ibk + one)·dp_bk for the owner `task` */
export function sharedHiddenGradient(
  i: i32, owners: i32, samples: i32, h: i32, weights: usize, weightStep: i32, z: usize, one: usize, dp: usize, dz: usize,
): void {
  const o0 = load<u64>(one), o1 = load<u64>(one, 8);
  let at = <usize>(i * samples * h) << 4;
  let g = dp;
  for (let b = 0; b < samples; b++) {
    const w = <u64>load<u32>(weights + (<usize>(b * weightStep + i) << 2));
    for (let k = 0; k < h; k++) {
      const to = dz + at;
      storeSum(to, load<u64>(z + at), load<u64>(z + at, 8), o0, o1);
      storeSmallProduct(to, load<u64>(to), load<u64>(to, 8), w);
      storeProduct(to, load<u64>(to), load<u64>(to, 8), load<u64>(g), load<u64>(g, 8));
      at += 16;
      g += 16;
    }
  }
}

/** out[b, i] = Σ_k z_ibk·(u_bi·dz_ibk + v_bi·dp_bk) for the owner `task` */
export function sharedPoolingGradient(
  i: i32, owners: i32, samples: i32, h: i32, u: usize, v: usize, step: i32, z: usize, dz: usize, dp: usize,
  out: usize, scratch: usize,
): void {
  let at = <usize>(i * samples * h) << 4;
  const s = scratch + (<usize>i << 5);
  let g = dp;
  for (let b = 0; b < samples; b++) {
    const weight = <usize>(b * step + i) << 2;
    const u0 = <u64>load<u32>(u + weight), v0 = <u64>load<u32>(v + weight);
    const to = out + (<usize>(b * owners + i) << 4);
    store<u64>(to, 0);
    store<u64>(to, 0, 8);
    for (let k = 0; k < h; k++) {
      storeSmallProduct(s, load<u64>(dz + at), load<u64>(dz + at, 8), u0);
      storeSmallProduct(s + 16, load<u64>(g), load<u64>(g, 8), v0);
      add(s, s + 16);
      storeProduct(s, load<u64>(s), load<u64>(s, 8), load<u64>(z + at), load<u64>(z + at, 8));
      add(to, s);
      at += 16;
      g += 16;
    }
  }
}

/** out[b, k] = Σ_i x_ibk·(u_ibk + g_i) */
export function sharedPoolQuadratic(
  b: i32, rows: i32, samples: i32, h: i32, x: usize, u: usize, g: usize, out: usize, scratch: usize,
): void {
  const to = out + (<usize>(b * h) << 4);
  memory.fill(to, 0, <usize>h << 4);
  scratch += <usize>b << 4;
  for (let i = 0; i < rows; i++) {
    const g0 = load<u64>(g + (<usize>i << 4)), g1 = load<u64>(g + (<usize>i << 4), 8);
    let at = <usize>((i * samples + b) * h) << 4;
    for (let k = 0; k < h; k++) {
      storeSum(scratch, load<u64>(u + at), load<u64>(u + at, 8), g0, g1);
      storeProduct(scratch, load<u64>(scratch), load<u64>(scratch, 8), load<u64>(x + at), load<u64>(x + at, 8));
      add(to + (<usize>k << 4), scratch);
      at += 16;
    }
  }
}

/** out[column] = Σ_row x[row, column] */
export function fieldSumRows(rows: i32, columns: i32, x: usize, out: usize): void {
  memory.fill(out, 0, <usize>columns << 4);
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) {
      add(out + (<usize>c << 4), x);
      x += 16;
    }
  }
}

/**
 * The gradient of each edge from that of the normalised graph. With T = 2^shift·S + E + Eᵀ (S given on and above the diagonal,
 * E [n, n] or one row for all if `eRow` is 0): out_ij = p_ij·T_ij − t_i − t_j for i < j, t_i = Σ_j q_ij·T_ij.
 */
export function sharedEdgeGradient(
  n: i32, p: usize, q: usize, factor: usize, s: usize, e: usize, eRow: i32, sums: usize, out: usize, scratch: usize,
): void {
  const f0 = load<u64>(factor), f1 = load<u64>(factor, 8);
  memory.fill(sums, 0, <usize>n << 4);
  for (let i = 0; i < n; i++) {
    for (let j = i; j < n; j++) {
      const at = s + (<usize>(i * n + j) << 4);
      storeProduct(at, load<u64>(at), load<u64>(at, 8), f0, f1);
      add(at, e + (<usize>(i * eRow + j) << 4));
      add(at, e + (<usize>(j * eRow + i) << 4));
      const t0 = load<u64>(at), t1 = load<u64>(at, 8);
      storeSmallProduct(scratch, t0, t1, <u64>load<u32>(q + (<usize>(i * n + j) << 2)));
      add(sums + (<usize>i << 4), scratch);
      if (i == j) continue;
      storeSmallProduct(scratch, t0, t1, <u64>load<u32>(q + (<usize>(j * n + i) << 2)));
      add(sums + (<usize>j << 4), scratch);
    }
  }
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      const at = s + (<usize>(i * n + j) << 4);
      storeSmallProduct(out, load<u64>(at), load<u64>(at, 8), <u64>load<u32>(p + (<usize>(i * n + j) << 2)));
      const si = sums + (<usize>i << 4), sj = sums + (<usize>j << 4);
      storeSum(out, load<u64>(out), load<u64>(out, 8), ~load<u64>(si), ~load<u64>(si, 8) & 0x7fffffffffffffff);
      storeSum(out, load<u64>(out), load<u64>(out, 8), ~load<u64>(sj), ~load<u64>(sj, 8) & 0x7fffffffffffffff);
      out += 16;
    }
  }
}
