// Vector exp, log, sigmoid, tanh and inverse error function, a few units in the last place of float32.
// Constants are loaded, not written as literals: V8 rebuilds a literal vector at every use, a load is one instruction.
import { madd, nmadd } from './madd';

const EXP = memory.data<f32>([
  88.8, -88.0, 1.44269504088896341, 12582912.0, 0.693359375, -2.12194440e-4,
  1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1, 1.0,
]);

/** e^x. Overflows to infinity and underflows to zero without passing through denormals. NaN stays NaN. */
// @ts-ignore: decorator
@inline
export function exp(x: v128): v128 {
  x = f32x4.pmin(x, v128.load32_splat(EXP));
  x = f32x4.pmax(x, v128.load32_splat(EXP, 4));
  const magic = v128.load32_splat(EXP, 12);
  const shifted = madd(x, v128.load32_splat(EXP, 8), magic);
  const k = f32x4.sub(shifted, magic);
  let r = nmadd(k, v128.load32_splat(EXP, 16), x);
  r = nmadd(k, v128.load32_splat(EXP, 20), r);
  let p = madd(v128.load32_splat(EXP, 24), r, v128.load32_splat(EXP, 28));
  p = madd(p, r, v128.load32_splat(EXP, 32));
  p = madd(p, r, v128.load32_splat(EXP, 36));
  p = madd(p, r, v128.load32_splat(EXP, 40));
  p = madd(p, r, v128.load32_splat(EXP, 44));
  const one = v128.load32_splat(EXP, 48);
  p = f32x4.add(madd(p, f32x4.mul(r, r), r), one);
  // `one` has the exponent bias 127 in its bits: adding k << 23 to them gives 2^k, up to infinity and down to zero.
  return f32x4.mul(p, i32x4.add(i32x4.shl(shifted, 23), one));
}

/** 1 / (1 + e^−x) */
// @ts-ignore: decorator
@inline
export function sigmoid(x: v128): v128 {
  const one = v128.load32_splat(EXP, 48);
  return f32x4.div(one, f32x4.add(one, exp(f32x4.neg(x))));
}

/** The bound of x, then the coefficients of the numerator and of the denominator in x². */
export const TANH = memory.data<f32>([
  7.90531110763549805, -7.90531110763549805,
  -2.76076847742355e-16, 2.00018790482477e-13, -8.60467152213735e-11, 5.12229709037114e-8, 1.48572235717979e-5,
  6.37261928875436e-4, 4.89352455891786e-3,
  1.19825839466702e-6, 1.18534705686654e-4, 2.26843463243900e-3, 4.89352518554385e-3,
]);

/** Rational approximation, odd, exact at 0. */
// @ts-ignore: decorator
@inline
export function tanh(x: v128): v128 {
  x = f32x4.pmin(x, v128.load32_splat(TANH));
  x = f32x4.pmax(x, v128.load32_splat(TANH, 4));
  const y = f32x4.mul(x, x);
  let p = madd(v128.load32_splat(TANH, 8), y, v128.load32_splat(TANH, 12));
  p = madd(p, y, v128.load32_splat(TANH, 16));
  p = madd(p, y, v128.load32_splat(TANH, 20));
  p = madd(p, y, v128.load32_splat(TANH, 24));
  p = madd(p, y, v128.load32_splat(TANH, 28));
  p = madd(p, y, v128.load32_splat(TANH, 32));
  let q = madd(v128.load32_splat(TANH, 36), y, v128.load32_splat(TANH, 40));
  q = madd(q, y, v128.load32_splat(TANH, 44));
  q = madd(q, y, v128.load32_splat(TANH, 48));
  return f32x4.div(f32x4.mul(x, p), q);
}

const LOG = memory.data<f32>([
  7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
  2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1, -2.12194440e-4, 0.693359375, 0.5, 1.0,
]);
const LOG_BITS = memory.data<i32>([0x3f3504f3, 0x007fffff]);

/** Natural logarithm of positive normal numbers. */
// @ts-ignore: decorator
@inline
export function log(x: v128): v128 {
  const root = v128.load32_splat(LOG_BITS);
  const bits = i32x4.sub(x, root);
  const e = f32x4.convert_i32x4_s(i32x4.shr_s(bits, 23));
  // x = 2^e · m with m in [√½, √2)
  const m = i32x4.add(v128.and(bits, v128.load32_splat(LOG_BITS, 4)), root);
  const f = f32x4.sub(m, v128.load32_splat(LOG, 48));
  const ff = f32x4.mul(f, f);
  let p = madd(v128.load32_splat(LOG), f, v128.load32_splat(LOG, 4));
  p = madd(p, f, v128.load32_splat(LOG, 8));
  p = madd(p, f, v128.load32_splat(LOG, 12));
  p = madd(p, f, v128.load32_splat(LOG, 16));
  p = madd(p, f, v128.load32_splat(LOG, 20));
  p = madd(p, f, v128.load32_splat(LOG, 24));
  p = madd(p, f, v128.load32_splat(LOG, 28));
  p = madd(p, f, v128.load32_splat(LOG, 32));
  p = f32x4.mul(f32x4.mul(p, f), ff);
  p = madd(e, v128.load32_splat(LOG, 36), p);
  p = nmadd(ff, v128.load32_splat(LOG, 44), p);
  return madd(e, v128.load32_splat(LOG, 40), f32x4.add(f, p));
}

const ERFINV = memory.data<f32>([
  1.0, 5.0, 2.5, 3.0,
  2.81022636e-8, 3.43273939e-7, -3.5233877e-6, -4.39150654e-6, 0.00021858087, -0.00125372503, -0.00417768164,
  0.246640727, 1.50140941,
  -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047,
  1.00167406, 2.83297682,
]);

// @ts-ignore: decorator
@inline
function horner9(w: v128, at: usize): v128 {
  let p = madd(v128.load32_splat(at), w, v128.load32_splat(at, 4));
  p = madd(p, w, v128.load32_splat(at, 8));
  p = madd(p, w, v128.load32_splat(at, 12));
  p = madd(p, w, v128.load32_splat(at, 16));
  p = madd(p, w, v128.load32_splat(at, 20));
  p = madd(p, w, v128.load32_splat(at, 24));
  p = madd(p, w, v128.load32_splat(at, 28));
  return madd(p, w, v128.load32_splat(at, 32));
}

/**
 * Inverse error function on (−1, 1): Giles' single-precision approximation. The tail branch runs for 1 vector in 75.
 */
// @ts-ignore: decorator
@inline
export function inverseErf(x: v128): v128 {
  const one = v128.load32_splat(ERFINV);
  const w = f32x4.neg(log(f32x4.mul(f32x4.sub(one, x), f32x4.add(one, x))));
  let p = horner9(f32x4.sub(w, v128.load32_splat(ERFINV, 8)), ERFINV + 16);
  const tail = f32x4.ge(w, v128.load32_splat(ERFINV, 4));
  if (v128.any_true(tail)) {
    const t = horner9(f32x4.sub(f32x4.sqrt(w), v128.load32_splat(ERFINV, 12)), ERFINV + 52);
    p = v128.bitselect(t, p, tail);
  }
  return f32x4.mul(p, x);
}

/** Sum of the four lanes, in a fixed order. */
// @ts-ignore: decorator
@inline
export function sumLanes(v: v128): f32 {
  return (
    f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 2) + (f32x4.extract_lane(v, 1) + f32x4.extract_lane(v, 3))
  );
}
