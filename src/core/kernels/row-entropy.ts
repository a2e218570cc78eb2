// Σ p log p over a tensor and its derivative. A task is a stretch of numbers.
import { madd } from './madd';
import { log, sumLanes } from './math';
import { keepUpTo, storeUpTo } from './store';

/** The smallest normal number keeps log finite, so that 0 · log 0 is 0; then 1. */
const TINY = memory.data<f32>([1.17549435e-38, 1.0]);

/** out[task] = scale · Σ p log p over the task's numbers. */
export function entropyParts(task: i32, perTask: i32, count: i32, scale: f32, p: usize, out: usize): void {
  const end = min(count, (task + 1) * perTask);
  const tiny = v128.load32_splat(TINY);
  let sum = f32x4.splat(0);
  for (let i = task * perTask; i < end; i += 4) {
    const v = v128.load(p + (<usize>i << 2));
    sum = f32x4.add(sum, keepUpTo(f32x4.mul(v, log(f32x4.pmax(tiny, v))), end - i));
  }
  store<f32>(out + (<usize>task << 2), scale * sumLanes(sum));
}

/** dp += scale · (1 + log p) */
export function entropyBackward(task: i32, perTask: i32, count: i32, scale: f32, p: usize, dp: usize): void {
  const end = min(count, (task + 1) * perTask);
  const tiny = v128.load32_splat(TINY);
  const s = f32x4.splat(scale);
  for (let i = task * perTask; i < end; i += 4) {
    const o = <usize>i << 2;
    const slope = f32x4.add(v128.load32_splat(TINY, 4), log(f32x4.pmax(tiny, v128.load(p + o))));
    storeUpTo(dp + o, madd(s, slope, v128.load(dp + o)), end - i);
  }
}
