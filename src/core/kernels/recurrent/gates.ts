// Sigmoid and tanh of two vectors in lockstep: constants are loaded once for both, and two chains hide each other's
// latency. They are the larger half of a recurrent forward pass of small width.
import { madd } from '../madd';
import { TANH } from '../math';

/** −log₂ e: weights of sigmoid gates are scaled by it, which leaves 2^x where e^−x would stand. */
export const SIGMOID_SCALE: f32 = -1.4426950408889634;

const SIGMOID = memory.data<f32>([
  126.0, -126.0, 12582912.0, 1.0,
  0.001326472731307149, 0.009671512991189957, 0.05550733581185341, 0.24022242426872253, 0.6931470036506653,
]);

/** to = 1 / (1 + 2^x). 2^x is a polynomial with relative error 1e-7 on [−½, ½] times a power of two. */
// @ts-ignore: decorator
@inline
export function storeSigmoids(x: v128, y: v128, toX: usize, toY: usize): void {
  let c = v128.load32_splat(SIGMOID);
  x = f32x4.pmin(x, c);
  y = f32x4.pmin(y, c);
  c = v128.load32_splat(SIGMOID, 4);
  x = f32x4.pmax(x, c);
  y = f32x4.pmax(y, c);
  // Adding 1.5 · 2^23 rounds to an integer, which then stands in the lowest bits.
  c = v128.load32_splat(SIGMOID, 8);
  const nx = f32x4.add(x, c);
  const ny = f32x4.add(y, c);
  x = f32x4.sub(x, f32x4.sub(nx, c));
  y = f32x4.sub(y, f32x4.sub(ny, c));
  c = v128.load32_splat(SIGMOID, 16);
  let d = v128.load32_splat(SIGMOID, 20);
  let p = madd(c, x, d);
  let q = madd(c, y, d);
  d = v128.load32_splat(SIGMOID, 24);
  p = madd(p, x, d);
  q = madd(q, y, d);
  d = v128.load32_splat(SIGMOID, 28);
  p = madd(p, x, d);
  q = madd(q, y, d);
  d = v128.load32_splat(SIGMOID, 32);
  p = madd(p, x, d);
  q = madd(q, y, d);
  d = v128.load32_splat(SIGMOID, 12);
  p = madd(p, x, d);
  q = madd(q, y, d);
  p = f32x4.add(i32x4.add(p, i32x4.shl(nx, 23)), d);
  q = f32x4.add(i32x4.add(q, i32x4.shl(ny, 23)), d);
  v128.store(toX, f32x4.div(d, p));
  v128.store(toY, f32x4.div(d, q));
}

/** to = tanh(x), the same bits as `tanh` of math.ts */
// @ts-ignore: decorator
@inline
export function storeTanhs(x: v128, y: v128, toX: usize, toY: usize): void {
  let c = v128.load32_splat(TANH);
  x = f32x4.pmin(x, c);
  y = f32x4.pmin(y, c);
  c = v128.load32_splat(TANH, 4);
  x = f32x4.pmax(x, c);
  y = f32x4.pmax(y, c);
  const xx = f32x4.mul(x, x);
  const yy = f32x4.mul(y, y);
  c = v128.load32_splat(TANH, 8);
  let d = v128.load32_splat(TANH, 12);
  let p = madd(c, xx, d);
  let q = madd(c, yy, d);
  d = v128.load32_splat(TANH, 16);
  p = madd(p, xx, d);
  q = madd(q, yy, d);
  d = v128.load32_splat(TANH, 20);
  p = madd(p, xx, d);
  q = madd(q, yy, d);
  d = v128.load32_splat(TANH, 24);
  p = madd(p, xx, d);
  q = madd(q, yy, d);
  d = v128.load32_splat(TANH, 28);
  p = madd(p, xx, d);
  q = madd(q, yy, d);
  d = v128.load32_splat(TANH, 32);
  p = madd(p, xx, d);
  q = madd(q, yy, d);
  c = v128.load32_splat(TANH, 36);
  d = v128.load32_splat(TANH, 40);
  let r = madd(c, xx, d);
  let s = madd(c, yy, d);
  d = v128.load32_splat(TANH, 44);
  r = madd(r, xx, d);
  s = madd(s, yy, d);
  d = v128.load32_splat(TANH, 48);
  r = madd(r, xx, d);
  s = madd(s, yy, d);
  v128.store(toX, f32x4.div(f32x4.mul(x, p), r));
  v128.store(toY, f32x4.div(f32x4.mul(y, q), s));
}
