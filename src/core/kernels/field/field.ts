// Numbers of the field 2^127 − 1, for shares: 16 bytes each, low word first, always below the prime. A task is a stretch of numbers.
//
// 2^127 ≡ 1, so a product of 254 bits is reduced by adding its halves, and a product with 2^s is a rotation.

const LOW: u64 = 0xffffffff;
/** The upper word of the prime. */
const TOP: u64 = 0x7fffffffffffffff;
const ONES: u64 = 0xffffffffffffffff;

/** Stores low + 2^64·high, which is below 2^128, as a number below the prime. */
// @ts-ignore: decorator
@inline
export function storeReduced(to: usize, low: u64, high: u64): void {
  let s0 = low + (high >> 63);
  let s1 = (high & TOP) + <u64>(s0 < low);
  // One more fold: the first may have reached 2^127 exactly.
  const over = s1 >> 63;
  s1 &= TOP;
  s0 += over;
  if (s0 == ONES && s1 == TOP) {
    s0 = 0;
    s1 = 0;
  }
  store<u64>(to, s0);
  store<u64>(to, s1, 8);
}

/** Stores the sum of two numbers below the prime. */
// @ts-ignore: decorator
@inline
export function storeSum(to: usize, a0: u64, a1: u64, b0: u64, b1: u64): void {
  const s0 = a0 + b0;
  storeReduced(to, s0, a1 + b1 + <u64>(s0 < a0));
}

/** Stores the difference of two numbers below the prime: a + (2^127 − 1 − b). */
// @ts-ignore: decorator
@inline
export function storeDifference(to: usize, a0: u64, a1: u64, b0: u64, b1: u64): void {
  storeSum(to, a0, a1, ~b0, ~b1 & TOP);
}

/** Stores w0 + 2^64·w1 + 2^128·w2 + 2^192·w3, below 2^254, reduced. */
// @ts-ignore: decorator
@inline
export function storeWide(to: usize, w0: u64, w1: u64, w2: u64, w3: u64): void {
  const high0 = (w1 >> 63) | (w2 << 1);
  const high1 = (w2 >> 63) | (w3 << 1);
  storeSum(to, w0, w1 & TOP, high0, high1 & TOP);
}

/** Stores a·b, by rows of 32-bit limbs: each step fits 64 bits exactly. */
export function storeProduct(to: usize, aLow: u64, aHigh: u64, bLow: u64, bHigh: u64): void {
  const b0 = bLow & LOW, b1 = bLow >> 32, b2 = bHigh & LOW, b3 = bHigh >> 32;
  let a = aLow & LOW;
  let t = a * b0;
  const r0 = t & LOW;
  t = a * b1 + (t >> 32);
  let r1 = t & LOW;
  t = a * b2 + (t >> 32);
  let r2 = t & LOW;
  t = a * b3 + (t >> 32);
  let r3 = t & LOW;
  let r4 = t >> 32;

  a = aLow >> 32;
  t = a * b0 + r1;
  r1 = t & LOW;
  t = a * b1 + r2 + (t >> 32);
  r2 = t & LOW;
  t = a * b2 + r3 + (t >> 32);
  r3 = t & LOW;
  t = a * b3 + r4 + (t >> 32);
  r4 = t & LOW;
  let r5 = t >> 32;

  a = aHigh & LOW;
  t = a * b0 + r2;
  r2 = t & LOW;
  t = a * b1 + r3 + (t >> 32);
  r3 = t & LOW;
  t = a * b2 + r4 + (t >> 32);
  r4 = t & LOW;
  t = a * b3 + r5 + (t >> 32);
  r5 = t & LOW;
  let r6 = t >> 32;

  a = aHigh >> 32;
  t = a * b0 + r3;
  r3 = t & LOW;
  t = a * b1 + r4 + (t >> 32);
  r4 = t & LOW;
  t = a * b2 + r5 + (t >> 32);
  r5 = t & LOW;
  t = a * b3 + r6 + (t >> 32);
  r6 = t & LOW;
  storeWide(to, r0 | (r1 << 32), r2 | (r3 << 32), r4 | (r5 << 32), r6 | ((t >> 32) << 32));
}

/** Stores a·small, small below 2^32. */
// @ts-ignore: decorator
@inline
export function storeSmallProduct(to: usize, a0: u64, a1: u64, small: u64): void {
  let t = (a0 & LOW) * small;
  const r0 = t & LOW;
  t = (a0 >> 32) * small + (t >> 32);
  const w0 = r0 | (t << 32);
  t = (a1 & LOW) * small + (t >> 32);
  const r2 = t & LOW;
  t = (a1 >> 32) * small + (t >> 32);
  const w1 = r2 | (t << 32);
  storeSum(to, w0, w1 & TOP, ((t >> 32) << 1) | (w1 >> 63), 0);
}

/** Stores a·c, quickly where c or −c is below 2^32: `sign` is 1 or −1 then, else 0, and `small` is c or −c. */
// @ts-ignore: decorator
@inline
export function storeConstantProduct(to: usize, a0: u64, a1: u64, c0: u64, c1: u64, small: u64, sign: i32): void {
  if (sign == 0) storeProduct(to, a0, a1, c0, c1);
  else if (sign > 0) storeSmallProduct(to, a0, a1, small);
  else storeSmallProduct(to, ~a0, ~a1 & TOP, small);
}

/** 1 or −1 if c or −c is below 2^32, else 0. */
export function smallSign(c0: u64, c1: u64): i32 {
  if (c1 == 0 && c0 <= LOW) return 1;
  return c1 == TOP && ~c0 <= LOW ? -1 : 0;
}

/** out = a + b */
export function fieldAdd(task: i32, perTask: i32, count: i32, a: usize, b: usize, out: usize): void {
  const end = <usize>min(count, (task + 1) * perTask) << 4;
  for (let o = <usize>(task * perTask) << 4; o < end; o += 16) {
    storeSum(out + o, load<u64>(a + o), load<u64>(a + o, 8), load<u64>(b + o), load<u64>(b + o, 8));
  }
}

/** out = a − b */
export function fieldSubtract(task: i32, perTask: i32, count: i32, a: usize, b: usize, out: usize): void {
  const end = <usize>min(count, (task + 1) * perTask) << 4;
  for (let o = <usize>(task * perTask) << 4; o < end; o += 16) {
    storeDifference(out + o, load<u64>(a + o), load<u64>(a + o, 8), load<u64>(b + o), load<u64>(b + o, 8));
  }
}

/** out = a·b, number by number */
export function fieldMultiply(task: i32, perTask: i32, count: i32, a: usize, b: usize, out: usize): void {
  const end = <usize>min(count, (task + 1) * perTask) << 4;
  for (let o = <usize>(task * perTask) << 4; o < end; o += 16) {
    storeProduct(out + o, load<u64>(a + o), load<u64>(a + o, 8), load<u64>(b + o), load<u64>(b + o, 8));
  }
}

/** out += c·x, or out = c·x if `fresh`; c is one number at `constant` */
export function fieldScale(
  task: i32, perTask: i32, count: i32, constant: usize, x: usize, fresh: i32, out: usize,
): void {
  const c0 = load<u64>(constant), c1 = load<u64>(constant, 8);
  const sign = smallSign(c0, c1);
  const small = sign < 0 ? ~c0 : c0;
  const end = <usize>min(count, (task + 1) * perTask) << 4;
  for (let o = <usize>(task * perTask) << 4; o < end; o += 16) {
    const to = out + o;
    const had0 = fresh ? 0 : load<u64>(to), had1 = fresh ? 0 : load<u64>(to, 8);
    storeConstantProduct(to, load<u64>(x + o), load<u64>(x + o, 8), c0, c1, small, sign);
    if (!fresh) storeSum(to, load<u64>(to), load<u64>(to, 8), had0, had1);
  }
}
