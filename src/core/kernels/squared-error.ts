// Sums of squared differences of two tensors, a chunk per task, and their derivative.
import { madd } from './madd';
import { sumLanes } from './math';
import { keepUpTo, storeUpTo } from './store';

/** sums[task] = Σ (a − b)² over chunk `task` of `chunk` floats, a multiple of four. */
export function squaredDifferences(task: i32, chunk: i32, size: i32, a: usize, b: usize, sums: usize): void {
  let sum = f32x4.splat(0);
  const end = min(size, (task + 1) * chunk);
  for (let i = task * chunk; i < end; i += 4) {
    const o = <usize>i << 2;
    const difference = keepUpTo(f32x4.sub(v128.load(a + o), v128.load(b + o)), end - i);
    sum = madd(difference, difference, sum);
  }
  store<f32>(sums + (<usize>task << 2), sumLanes(sum));
}

/** da += scale · (a − b) over chunk `task`. */
export function squaredDifferencesBackward(
  task: i32, chunk: i32, size: i32, scale: f32, a: usize, b: usize, da: usize,
): void {
  const s = f32x4.splat(scale);
  const end = min(size, (task + 1) * chunk);
  for (let i = task * chunk; i < end; i += 4) {
    const o = <usize>i << 2;
    const difference = f32x4.sub(v128.load(a + o), v128.load(b + o));
    storeUpTo(da + o, madd(s, difference, v128.load(da + o)), end - i);
  }
}
