// Updates of parameters from their gradients, which are cleared in the same pass. A task is a stretch of numbers.
import { madd } from './madd';
import { storeUpTo } from './store';

/** m = β₁m + (1 − β₁)g, v = β₂v + (1 − β₂)g², p = keep · p − step · m / (√v / rootCorrection + ε), g = 0 */
export function adamStep(
  task: i32, perTask: i32, count: i32, parameter: usize, gradient: usize, first: usize, second: usize,
  beta1: f32, rest1: f32, beta2: f32, rest2: f32, rootCorrection: f32, epsilon: f32, step: f32,
  keep: f32,
): void {
  const b1 = f32x4.splat(beta1);
  const c1 = f32x4.splat(rest1);
  const b2 = f32x4.splat(beta2);
  const c2 = f32x4.splat(rest2);
  const root = f32x4.splat(rootCorrection);
  const eps = f32x4.splat(epsilon);
  const back = f32x4.splat(-step);
  const kept = f32x4.splat(keep);
  const zero = f32x4.splat(0);
  const end = min(count, (task + 1) * perTask);
  for (let i = task * perTask; i < end; i += 4) {
    const o = <usize>i << 2;
    const g = v128.load(gradient + o);
    const m = madd(c1, g, f32x4.mul(b1, v128.load(first + o)));
    const v = madd(f32x4.mul(c2, g), g, f32x4.mul(b2, v128.load(second + o)));
    const denominator = f32x4.add(f32x4.div(f32x4.sqrt(v), root), eps);
    // Not fused: a factor of 1 leaves the very bits of a step without decay.
    const p = f32x4.add(f32x4.mul(kept, v128.load(parameter + o)), f32x4.div(f32x4.mul(back, m), denominator));
    storeUpTo(first + o, m, end - i);
    storeUpTo(second + o, v, end - i);
    storeUpTo(parameter + o, p, end - i);
    storeUpTo(gradient + o, zero, end - i);
  }
}

/** velocity = momentum · velocity + g, p −= rate · velocity, g = 0. Without a velocity (0), p −= rate · g. */
export function sgdStep(
  task: i32, perTask: i32, count: i32, parameter: usize, gradient: usize, velocity: usize, momentum: f32, rate: f32,
): void {
  const keep = f32x4.splat(momentum);
  const back = f32x4.splat(-rate);
  const zero = f32x4.splat(0);
  const end = min(count, (task + 1) * perTask);
  for (let i = task * perTask; i < end; i += 4) {
    const o = <usize>i << 2;
    let g = v128.load(gradient + o);
    if (velocity) {
      g = f32x4.add(f32x4.mul(keep, v128.load(velocity + o)), g);
      storeUpTo(velocity + o, g, end - i);
    }
    storeUpTo(parameter + o, madd(back, g, v128.load(parameter + o)), end - i);
    storeUpTo(gradient + o, zero, end - i);
  }
}

/** average += rest · (parameter − average) */
export function averageStep(task: i32, perTask: i32, count: i32, rest: f32, parameter: usize, average: usize): void {
  const r = f32x4.splat(rest);
  const end = min(count, (task + 1) * perTask);
  for (let i = task * perTask; i < end; i += 4) {
    const o = <usize>i << 2;
    const before = v128.load(average + o);
    storeUpTo(average + o, madd(r, f32x4.sub(v128.load(parameter + o), before), before), end - i);
  }
}

/** out[task] = Σ x² over the task's numbers, in float64. */
export function sumSquares(task: i32, perTask: i32, count: i32, x: usize, out: usize): void {
  const end = min(count, (task + 1) * perTask);
  let s0 = f64x2.splat(0), s1 = s0;
  let i = task * perTask;
  for (; i + 4 <= end; i += 4) {
    const v = v128.load(x + (<usize>i << 2));
    const low = f64x2.promote_low_f32x4(v);
    const high = f64x2.promote_low_f32x4(v128.shuffle<f32>(v, v, 2, 3, 2, 3));
    s0 = f64x2.add(s0, f64x2.mul(low, low));
    s1 = f64x2.add(s1, f64x2.mul(high, high));
  }
  s0 = f64x2.add(s0, s1);
  let sum = f64x2.extract_lane(s0, 0) + f64x2.extract_lane(s0, 1);
  for (; i < end; i++) {
    const v = <f64>load<f32>(x + (<usize>i << 2));
    sum += v * v;
  }
  store<f64>(out + (<usize>task << 3), sum);
}

/** x = scale · x */
export function scaleNumbers(task: i32, perTask: i32, count: i32, scale: f32, x: usize): void {
  const s = f32x4.splat(scale);
  const end = min(count, (task + 1) * perTask);
  for (let i = task * perTask; i < end; i += 4) {
    const at = x + (<usize>i << 2);
    storeUpTo(at, f32x4.mul(s, v128.load(at)), end - i);
  }
}
