// Weighted mean over owners, y_b = (1/n) Σ_i w_bi x_bi. A task is a group of examples.
import { madd } from './madd';
import { sumLanes } from './math';
import { keepUpTo, storeUpTo } from './store';

const ONE = memory.data<f32>([1.0]);

/** x [batch, n, h] → y [batch, h]. Weights are all 1 if `weights` is 0; `weightsStep` is bytes per example, or 0. */
export function weightedMean(
  task: i32, perTask: i32, batch: i32, n: i32, h: i32, x: usize, weights: usize, weightsStep: usize, y: usize,
): void {
  const row = <usize>h << 2;
  const step: usize = weights ? 4 : 0;
  const count = f32x4.splat(<f32>n);
  const end = min(batch, (task + 1) * perTask);
  for (let b = task * perTask; b < end; b++) {
    for (let k = 0; k < h; k += 8) {
      let at = x + <usize>b * <usize>n * row + (<usize>k << 2);
      let w = weights ? weights + <usize>b * weightsStep : ONE;
      let s0 = f32x4.splat(0), s1 = s0;
      for (let i = 0; i < n; i++) {
        const wi = v128.load32_splat(w);
        s0 = madd(wi, v128.load(at), s0);
        s1 = madd(wi, v128.load(at, 16), s1);
        at += row;
        w += step;
      }
      const to = y + <usize>b * row + (<usize>k << 2);
      storeUpTo(to, f32x4.div(s0, count), h - k);
      if (h - k > 4) storeUpTo(to + 16, f32x4.div(s1, count), h - k - 4);
    }
  }
}

/** dx_bi += (w_bi / n) dy_b */
export function weightedMeanToInput(
  task: i32, perTask: i32, batch: i32, n: i32, h: i32, weights: usize, weightsStep: usize, dy: usize, dx: usize,
): void {
  const row = <usize>h << 2;
  const step: usize = weights ? 4 : 0;
  const count = f32x4.splat(<f32>n);
  const end = min(batch, (task + 1) * perTask);
  for (let b = task * perTask; b < end; b++) {
    for (let k = 0; k < h; k += 4) {
      const g = f32x4.div(v128.load(dy + <usize>b * row + (<usize>k << 2)), count);
      let to = dx + <usize>b * <usize>n * row + (<usize>k << 2);
      let w = weights ? weights + <usize>b * weightsStep : ONE;
      for (let i = 0; i < n; i++) {
        storeUpTo(to, madd(v128.load32_splat(w), g, v128.load(to)), h - k);
        to += row;
        w += step;
      }
    }
  }
}

/** dw_bi += (1/n) x_bi · dy_b. With weights shared by all examples, `dWeights` is [tasks, n], a row per task. */
export function weightedMeanToWeights(
  task: i32, perTask: i32, batch: i32, n: i32, h: i32, shared: i32, x: usize, dy: usize, dWeights: usize,
): void {
  const row = <usize>h << 2;
  if (shared) {
    dWeights += <usize>task * (<usize>n << 2);
    memory.fill(dWeights, 0, <usize>n << 2);
  }
  const end = min(batch, (task + 1) * perTask);
  for (let b = task * perTask; b < end; b++) {
    let at = x + <usize>b * <usize>n * row;
    let to = shared ? dWeights : dWeights + <usize>b * (<usize>n << 2);
    const g = dy + <usize>b * row;
    for (let i = 0; i < n; i++) {
      let sum = f32x4.splat(0);
      for (let k = 0; k < h; k += 4) {
        const o = <usize>k << 2;
        sum = f32x4.add(sum, keepUpTo(f32x4.mul(v128.load(at + o), v128.load(g + o)), h - k));
      }
      store<f32>(to, load<f32>(to) + sumLanes(sum) / <f32>n);
      at += row;
      to += 4;
    }
  }
}
