// The κ-nearest-neighbour graph between owners from their inner products, and its derivative.
//
// s_ij = x_i·x_j / (|x_i||x_j|), B_ij = relu(s_ij) where j is among the nearest of i, A = (B + Bᵀ)/2. With G = dL/dA
// and W_ij = ([B_ij > 0] + [B_ji > 0]) (G_ij + G_ji)/2:
//   dx_i = Σ_j W_ij x_j / (|x_i||x_j|) − (Σ_j W_ij s_ij) x_i / |x_i|².
// W has the few non-zeros of A, so the backward pass is a sparse product, the same for every example of the batch.
import { madd } from './madd';
import { storeUpTo } from './store';
import { thread } from './thread';

/** A vector whose squared length is below this counts as zero: it is similar to nobody. */
const SHORTEST: f32 = 1e-30;
const TILE: i32 = 16;

/**
 * Example `task` of features [batch, n, f] into packed [owners / 8, batch·f, 8]: eight owners side by side, zeros past
 * the last. A product of these panels with each other runs through memory in order, whatever n.
 */
export function packOwners(task: i32, batch: i32, n: i32, f: i32, features: usize, packed: usize): void {
  const panel = <usize>(batch * f) << 5;
  features += <usize>(task * n * f) << 2;
  packed += <usize>(task * f) << 5;
  for (let first = 0; first < n; first += 8) {
    for (let lane = 0; lane < 8; lane++) {
      const i = first + lane;
      const from = features + (<usize>(i * f) << 2);
      for (let k = 0; k < f; k++) {
        const value: f32 = i < n ? load<f32>(from + (<usize>k << 2)) : 0;
        store<f32>(packed + (<usize>k << 5) + (<usize>lane << 2), value);
      }
    }
    packed += panel;
  }
}

/** inverse_i = 1/|x_i| from the diagonal of products [n, n]. */
export function inverseLengths(n: i32, products: usize, inverse: usize): void {
  for (let i = 0; i < n; i++) {
    const squared = load<f32>(products + (<usize>(i * (n + 1)) << 2));
    store<f32>(inverse + (<usize>i << 2), squared > SHORTEST ? <f32>1 / sqrt<f32>(squared) : <f32>0);
  }
}

/** Rows of B [n, n]: the owner itself and the `neighbours` most similar others; of equals the lower index counts. */
export function nearestRows(
  task: i32, perTask: i32, n: i32, neighbours: i32, products: usize, inverse: usize, kept: usize,
  scratch: usize, scratchBytes: usize,
): void {
  // The best so far, most similar first: similarities, then indices.
  const best = scratch + <usize>thread * scratchBytes;
  const who = best + (<usize>neighbours << 2);
  const end = min(n, (task + 1) * perTask);
  for (let i = task * perTask; i < end; i++) {
    const own = load<f32>(inverse + (<usize>i << 2));
    const row = <usize>(i * n) << 2;
    let found = 0;
    let least: f32 = 0;
    for (let j = 0; j < n; j++) {
      const o = <usize>j << 2;
      // The lengths are multiplied first so that s_ij and s_ji are the same bits.
      const s = load<f32>(products + row + o) * (own * load<f32>(inverse + o));
      if (j == i || (found == neighbours && !(s > least))) continue;
      let at = found < neighbours ? found++ : neighbours - 1;
      while (at > 0 && load<f32>(best + (<usize>(at - 1) << 2)) < s) {
        store<f32>(best + (<usize>at << 2), load<f32>(best + (<usize>(at - 1) << 2)));
        store<i32>(who + (<usize>at << 2), load<i32>(who + (<usize>(at - 1) << 2)));
        at--;
      }
      store<f32>(best + (<usize>at << 2), s);
      store<i32>(who + (<usize>at << 2), j);
      least = load<f32>(best + (<usize>(found - 1) << 2));
    }
    memory.fill(kept + row, 0, <usize>n << 2);
    for (let k = 0; k < found; k++) {
      const s = load<f32>(best + (<usize>k << 2));
      if (s > 0) store<f32>(kept + row + (<usize>load<i32>(who + (<usize>k << 2)) << 2), s);
    }
    const diagonal = row + (<usize>i << 2);
    store<f32>(kept + diagonal, load<f32>(products + diagonal) * (own * own));
  }
}

/** Rows of A = (B + Bᵀ)/2, in tiles because the columns of B lie far apart. */
export function mirrorRows(task: i32, perTask: i32, n: i32, kept: usize, out: usize): void {
  const end = min(n, (task + 1) * perTask);
  for (let low = 0; low < n; low += TILE) {
    const high = min(n, low + TILE);
    for (let i = task * perTask; i < end; i++) {
      for (let j = low; j < high; j++) {
        const at = <usize>(i * n + j) << 2;
        store<f32>(out + at, <f32>0.5 * (load<f32>(kept + at) + load<f32>(kept + (<usize>(j * n + i) << 2))));
      }
    }
  }
}

/** Rows of the sparse matrix with dX_b = matrix · X_b: `counts` [n], `columns` and `values` [n, n] from the left. */
export function nearestRowsBackward(
  task: i32, perTask: i32, n: i32, graph: usize, kept: usize, inverse: usize, g: usize,
  counts: usize, columns: usize, values: usize,
): void {
  const end = min(n, (task + 1) * perTask);
  for (let i = task * perTask; i < end; i++) {
    const row = <usize>(i * n) << 2;
    const own = load<f32>(inverse + (<usize>i << 2));
    let count = 0;
    let along: f32 = 0;
    for (let j = 0; j < n; j++) {
      const o = <usize>j << 2;
      // s_ii is 1 whatever x_i is, so it has no gradient.
      if (j == i || !(load<f32>(graph + row + o) > 0)) continue;
      const turned = <usize>(j * n + i) << 2;
      const forth = load<f32>(kept + row + o);
      const back = load<f32>(kept + turned);
      const times: f32 = forth > 0 && back > 0 ? 1 : 0.5;
      const w = times * (load<f32>(g + row + o) + load<f32>(g + turned));
      along += w * (forth > 0 ? forth : back);
      store<i32>(columns + row + (<usize>count << 2), j);
      store<f32>(values + row + (<usize>count << 2), w * own * load<f32>(inverse + o));
      count++;
    }
    // A change of the length of x_i changes no similarity, so the part of the gradient along x_i is taken out.
    if (count > 0) {
      store<i32>(columns + row + (<usize>count << 2), i);
      store<f32>(values + row + (<usize>count << 2), -along * own * own);
      count++;
    }
    store<i32>(counts + (<usize>i << 2), count);
  }
}

/** to_b += matrix · from_b for the task's examples; from, to: [batch, n, f]. */
export function addSparseProduct(
  task: i32, perTask: i32, batch: i32, n: i32, f: i32,
  counts: usize, columns: usize, values: usize, from: usize, to: usize,
): void {
  const row = <usize>f << 2;
  const end = min(batch, (task + 1) * perTask);
  for (let b = task * perTask; b < end; b++) {
    const example = <usize>b * <usize>n * row;
    for (let i = 0; i < n; i++) {
      const list = <usize>(i * n) << 2;
      const stop = list + (<usize>load<i32>(counts + (<usize>i << 2)) << 2);
      const out = to + example + <usize>i * row;
      for (let k = 0; k < f; k += 4) {
        const o = <usize>k << 2;
        let sum = v128.load(out + o);
        for (let at = list; at < stop; at += 4) {
          const other = from + example + <usize>load<i32>(columns + at) * row + o;
          sum = madd(v128.load32_splat(values + at), v128.load(other), sum);
        }
        storeUpTo(out + o, sum, f - k);
      }
    }
  }
}
