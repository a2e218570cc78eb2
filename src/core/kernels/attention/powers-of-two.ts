// 2^x in place over whole rows, for softmax. Less work than `exp`: the remainder of a whole power of two is exact.
import { madd } from '../madd';

/** Lowest exponent, the number that rounds to integers when added, and 2^r on [−½, ½] to 2 units in the last place. */
const POWER = memory.data<f32>([
  -125.0, 12582912.0, 0.001327647207, 0.009675541407, 0.05550713274, 0.2402211972, 0.6931469671, 1.0,
]);

/** p = 2^p from `p` to `end`, in place. Four vectors at a time share the constants. */
export function powersOfTwo(p: usize, end: usize): void {
  for (; p < end; p += 64) {
    let c = v128.load32_splat(POWER);
    let x0 = f32x4.pmax(v128.load(p), c);
    let x1 = f32x4.pmax(v128.load(p, 16), c);
    let x2 = f32x4.pmax(v128.load(p, 32), c);
    let x3 = f32x4.pmax(v128.load(p, 48), c);
    c = v128.load32_splat(POWER, 4);
    const k0 = f32x4.add(x0, c), k1 = f32x4.add(x1, c), k2 = f32x4.add(x2, c), k3 = f32x4.add(x3, c);
    x0 = f32x4.sub(x0, f32x4.sub(k0, c));
    x1 = f32x4.sub(x1, f32x4.sub(k1, c));
    x2 = f32x4.sub(x2, f32x4.sub(k2, c));
    x3 = f32x4.sub(x3, f32x4.sub(k3, c));
    let d = v128.load32_splat(POWER, 8);
    c = v128.load32_splat(POWER, 12);
    let y0 = madd(d, x0, c), y1 = madd(d, x1, c), y2 = madd(d, x2, c), y3 = madd(d, x3, c);
    c = v128.load32_splat(POWER, 16);
    y0 = madd(y0, x0, c), y1 = madd(y1, x1, c), y2 = madd(y2, x2, c), y3 = madd(y3, x3, c);
    c = v128.load32_splat(POWER, 20);
    y0 = madd(y0, x0, c), y1 = madd(y1, x1, c), y2 = madd(y2, x2, c), y3 = madd(y3, x3, c);
    c = v128.load32_splat(POWER, 24);
    y0 = madd(y0, x0, c), y1 = madd(y1, x1, c), y2 = madd(y2, x2, c), y3 = madd(y3, x3, c);
    c = v128.load32_splat(POWER, 28);
    y0 = madd(y0, x0, c), y1 = madd(y1, x1, c), y2 = madd(y2, x2, c), y3 = madd(y3, x3, c);
    // The integer sits in the low bits of k: moved to the exponent, it multiplies by 2^k.
    v128.store(p, i32x4.add(y0, i32x4.shl(k0, 23)));
    v128.store(p, i32x4.add(y1, i32x4.shl(k1, 23)), 16);
    v128.store(p, i32x4.add(y2, i32x4.shl(k2, 23)), 32);
    v128.store(p, i32x4.add(y3, i32x4.shl(k3, 23)), 48);
  }
}
