// The most multiply-adds this machine does in 128-bit vectors: the yardstick for `gemm`, used by the bench only.
import { madd } from './madd';

/** 12 independent chains of multiply-adds, `iterations` long; 96 floating-point operations per iteration. */
export function multiplyAddPeak(iterations: i32, x: f32, y: f32): f32 {
  const a = f32x4.splat(x);
  const b = f32x4.splat(y);
  let s0 = a, s1 = b, s2 = a, s3 = b, s4 = a, s5 = b, s6 = a, s7 = b, s8 = a, s9 = b, s10 = a, s11 = b;
  for (let i = 0; i < iterations; i++) {
    s0 = madd(a, b, s0);
    s1 = madd(a, b, s1);
    s2 = madd(a, b, s2);
    s3 = madd(a, b, s3);
    s4 = madd(a, b, s4);
    s5 = madd(a, b, s5);
    s6 = madd(a, b, s6);
    s7 = madd(a, b, s7);
    s8 = madd(a, b, s8);
    s9 = madd(a, b, s9);
    s10 = madd(a, b, s10);
    s11 = madd(a, b, s11);
  }
  const left = f32x4.add(f32x4.add(s0, s1), f32x4.add(f32x4.add(s2, s3), f32x4.add(s4, s5)));
  const right = f32x4.add(f32x4.add(s6, s7), f32x4.add(f32x4.add(s8, s9), f32x4.add(s10, s11)));
  return f32x4.extract_lane(f32x4.add(left, right), 0);
}
