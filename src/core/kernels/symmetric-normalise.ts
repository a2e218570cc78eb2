// Â = D^{-1/2}(A + I)D^{-1/2} (+ I with skip), D the row sums of A + I. A task is a group of rows.
//
// With r = D^{-1/2}1, G = dL/dÂ and Ã = A + I: dr_i = Σ_j G_ij Ã_ij r_j + Σ_j G_ji Ã_ji r_j,
// dA_ij = r_i r_j G_ij + dD_i with dD_i = −½ r_i³ dr_i.
import { madd } from './madd';
import { sumLanes } from './math';
import { keepUpTo, storeUpTo } from './store';

/** r_i = (1 + Σ_j A_ij)^−½ */
export function inverseRootDegrees(task: i32, perTask: i32, n: i32, a: usize, r: usize): void {
  const end = min(n, (task + 1) * perTask);
  for (let i = task * perTask; i < end; i++) {
    let at = a + (<usize>(i * n) << 2);
    let s0 = f32x4.splat(0), s1 = s0;
    let j = 0;
    for (; j + 8 <= n; j += 8) {
      s0 = f32x4.add(s0, v128.load(at));
      s1 = f32x4.add(s1, v128.load(at, 16));
      at += 32;
    }
    for (; j < n; j += 4) {
      s0 = f32x4.add(s0, keepUpTo(v128.load(at), n - j));
      at += 16;
    }
    store<f32>(r + (<usize>i << 2), <f32>1 / sqrt<f32>(<f32>1 + sumLanes(f32x4.add(s0, s1))));
  }
}

/** Â_ij = r_i r_j (A_ij + δ_ij) + skip δ_ij */
export function normaliseRows(task: i32, perTask: i32, n: i32, skip: f32, a: usize, r: usize, out: usize): void {
  const end = min(n, (task + 1) * perTask);
  for (let i = task * perTask; i < end; i++) {
    const row = <usize>(i * n) << 2;
    const ri = load<f32>(r + (<usize>i << 2));
    const rv = f32x4.splat(ri);
    for (let j = 0; j < n; j += 4) {
      const o = <usize>j << 2;
      storeUpTo(out + row + o, f32x4.mul(f32x4.mul(rv, v128.load(r + o)), v128.load(a + row + o)), n - j);
    }
    const diagonal = out + row + (<usize>i << 2);
    store<f32>(diagonal, load<f32>(diagonal) + ri * ri + skip);
  }
}

/** rowSums_i = Σ_j G_ij Ã_ij r_j for the task's rows; columnSums[task]_j = Σ_i G_ij Ã_ij r_i over the task's rows. */
export function normaliseSums(
  task: i32, perTask: i32, n: i32, a: usize, r: usize, g: usize, rowSums: usize, columnSums: usize,
): void {
  columnSums += <usize>task * (<usize>n << 2);
  memory.fill(columnSums, 0, <usize>n << 2);
  const end = min(n, (task + 1) * perTask);
  for (let i = task * perTask; i < end; i++) {
    const row = <usize>(i * n) << 2;
    const own = <usize>i << 2;
    const ri = load<f32>(r + own);
    const rv = f32x4.splat(ri);
    let sum = f32x4.splat(0);
    let j = 0;
    for (; j + 4 <= n; j += 4) {
      const o = <usize>j << 2;
      const ga = f32x4.mul(v128.load(g + row + o), v128.load(a + row + o));
      sum = madd(ga, v128.load(r + o), sum);
      v128.store(columnSums + o, madd(ga, rv, v128.load(columnSums + o)));
    }
    let total = sumLanes(sum);
    for (; j < n; j++) {
      const o = <usize>j << 2;
      const ga = load<f32>(g + row + o) * load<f32>(a + row + o);
      total += ga * load<f32>(r + o);
      store<f32>(columnSums + o, load<f32>(columnSums + o) + ga * ri);
    }
    const self = load<f32>(g + row + own) * ri;
    store<f32>(rowSums + own, total + self);
    store<f32>(columnSums + own, load<f32>(columnSums + own) + self);
  }
}

/** dA_ij += r_i r_j G_ij − ½ r_i³ dr_i */
export function normaliseRowsBackward(task: i32, perTask: i32, n: i32, r: usize, g: usize, dr: usize, dA: usize): void {
  const end = min(n, (task + 1) * perTask);
  for (let i = task * perTask; i < end; i++) {
    const row = <usize>(i * n) << 2;
    const own = <usize>i << 2;
    const ri = load<f32>(r + own);
    const rv = f32x4.splat(ri);
    const degree = f32x4.splat(<f32>-0.5 * ri * ri * ri * load<f32>(dr + own));
    for (let j = 0; j < n; j += 4) {
      const o = row + (<usize>j << 2);
      const scale = f32x4.mul(rv, v128.load(r + (<usize>j << 2)));
      storeUpTo(dA + o, f32x4.add(v128.load(dA + o), madd(scale, v128.load(g + o), degree)), n - j);
    }
  }
}
