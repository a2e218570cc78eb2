// relu, a quadratic, tanh and sigmoid with their derivatives. A task is a chunk of `chunk` floats, a multiple of four.
import { madd, nmadd } from './madd';
import { sigmoid, tanh } from './math';
import { keepUpTo, storeUpTo } from './store';

/**
 * y = max(0, x + bias). `bias` is 0 for none, else four copies of the bias row one after the other: `period` bytes, so
 * that vectors of four run through it whatever its width. A chunk is a multiple of those four rows.
 */
export function reluForward(
  task: i32, chunk: i32, size: i32, x: usize, bias: usize, period: usize, y: usize,
): void {
  const zero = f32x4.splat(0);
  const end = min(size, (task + 1) * chunk);
  let at: usize = 0;
  for (let i = task * chunk; i < end; i += 4) {
    const o = <usize>i << 2;
    let v = v128.load(x + o);
    if (bias) {
      v = f32x4.add(v, v128.load(bias + at));
      at += 16;
      if (at == period) at = 0;
    }
    storeUpTo(y + o, f32x4.pmax(v, zero), end - i);
  }
}

/** dx += dy where y > 0, and the same summed over the chunk's rows to part `task` of `parts`. Either may be 0. */
export function reluBackward(
  task: i32, chunk: i32, size: i32, y: usize, dy: usize, dx: usize, parts: usize, period: usize,
): void {
  const zero = f32x4.splat(0);
  const end = min(size, (task + 1) * chunk);
  const part = parts + <usize>task * period;
  if (parts) memory.fill(part, 0, period);
  let at: usize = 0;
  for (let i = task * chunk; i < end; i += 4) {
    const o = <usize>i << 2;
    const g = v128.and(v128.load(dy + o), f32x4.gt(v128.load(y + o), zero));
    if (dx) storeUpTo(dx + o, f32x4.add(v128.load(dx + o), g), end - i);
    if (parts) {
      v128.store(part + at, f32x4.add(v128.load(part + at), keepUpTo(g, end - i)));
      at += 16;
      if (at == period) at = 0;
    }
  }
}

const QUADRATIC = memory.data<f32>([0.25, 0.5]);

/** y = ¼z² + ½z with z = x + bias; `bias` and `period` are as for `reluForward`. */
export function quadraticForward(
  task: i32, chunk: i32, size: i32, x: usize, bias: usize, period: usize, y: usize,
): void {
  const a = v128.load32_splat(QUADRATIC);
  const b = v128.load32_splat(QUADRATIC, 4);
  const end = min(size, (task + 1) * chunk);
  let at: usize = 0;
  for (let i = task * chunk; i < end; i += 4) {
    const o = <usize>i << 2;
    let z = v128.load(x + o);
    if (bias) {
      z = f32x4.add(z, v128.load(bias + at));
      at += 16;
      if (at == period) at = 0;
    }
    storeUpTo(y + o, f32x4.mul(madd(a, z, b), z), end - i);
  }
}

/** dx += dy (½z + ½), and the same summed over the chunk's rows to part `task` of `parts`. Either may be 0. */
export function quadraticBackward(
  task: i32, chunk: i32, size: i32, x: usize, bias: usize, dy: usize, dx: usize, parts: usize, period: usize,
): void {
  const b = v128.load32_splat(QUADRATIC, 4);
  const end = min(size, (task + 1) * chunk);
  const part = parts + <usize>task * period;
  if (parts) memory.fill(part, 0, period);
  let at: usize = 0;
  for (let i = task * chunk; i < end; i += 4) {
    const o = <usize>i << 2;
    let z = v128.load(x + o);
    if (bias) z = f32x4.add(z, v128.load(bias + at));
    const g = f32x4.mul(v128.load(dy + o), madd(b, z, b));
    if (dx) storeUpTo(dx + o, f32x4.add(v128.load(dx + o), g), end - i);
    if (parts) v128.store(part + at, f32x4.add(v128.load(part + at), keepUpTo(g, end - i)));
    at += 16;
    if (at == period) at = 0;
  }
}

/** y = tanh x */
export function tanhForward(task: i32, chunk: i32, size: i32, x: usize, y: usize): void {
  const end = min(size, (task + 1) * chunk);
  for (let i = task * chunk; i < end; i += 4) {
    const o = <usize>i << 2;
    storeUpTo(y + o, tanh(v128.load(x + o)), end - i);
  }
}

/** dx += dy (1 − y²) */
export function tanhBackward(task: i32, chunk: i32, size: i32, y: usize, dy: usize, dx: usize): void {
  const one = f32x4.splat(1);
  const end = min(size, (task + 1) * chunk);
  for (let i = task * chunk; i < end; i += 4) {
    const o = <usize>i << 2;
    const value = v128.load(y + o);
    const slope = nmadd(value, value, one);
    storeUpTo(dx + o, madd(v128.load(dy + o), slope, v128.load(dx + o)), end - i);
  }
}

/** y = 1 / (1 + e^−x) */
export function sigmoidForward(task: i32, chunk: i32, size: i32, x: usize, y: usize): void {
  const end = min(size, (task + 1) * chunk);
  for (let i = task * chunk; i < end; i += 4) {
    const o = <usize>i << 2;
    storeUpTo(y + o, sigmoid(v128.load(x + o)), end - i);
  }
}

/** dx += dy y (1 − y) */
export function sigmoidBackward(task: i32, chunk: i32, size: i32, y: usize, dy: usize, dx: usize): void {
  const end = min(size, (task + 1) * chunk);
  for (let i = task * chunk; i < end; i += 4) {
    const o = <usize>i << 2;
    const value = v128.load(y + o);
    const slope = nmadd(value, value, value);
    storeUpTo(dx + o, madd(v128.load(dy + o), slope, v128.load(dx + o)), end - i);
  }
}
