// Elementwise sum and product of two tensors.
import { madd } from './madd';
import { storeUpTo } from './store';

/** y = a + scale · b over chunk `task` of `chunk` floats, a multiple of four. y may be a. */
export function addTensors(task: i32, chunk: i32, size: i32, scale: f32, a: usize, b: usize, y: usize): void {
  const s = f32x4.splat(scale);
  const end = min(size, (task + 1) * chunk);
  for (let i = task * chunk; i < end; i += 4) {
    const o = <usize>i << 2;
    storeUpTo(y + o, madd(s, v128.load(b + o), v128.load(a + o)), end - i);
  }
}

/** y = a ∘ b over chunk `task`, or y += a ∘ b when `adds`. */
export function multiplyTensors(task: i32, chunk: i32, size: i32, adds: i32, a: usize, b: usize, y: usize): void {
  const end = min(size, (task + 1) * chunk);
  for (let i = task * chunk; i < end; i += 4) {
    const o = <usize>i << 2;
    const product = f32x4.mul(v128.load(a + o), v128.load(b + o));
    storeUpTo(y + o, adds ? f32x4.add(v128.load(y + o), product) : product, end - i);
  }
}
