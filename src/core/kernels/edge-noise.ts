// Noise behind sampled edges, a pure function of (seed, stream, step, example, edge slot).
//
// Philox4x32-10 (Salmon et al. 2011) turns (seed, stream, step, example) into two 32-bit keys; a keyed three-round
// mixer (Wellons' triple32 with the second key added inside) turns the slot number into 32 bits. The mixer costs a
// fifth of Philox per number; theory/edge-sampling.test.ts and docs/random-numbers.md hold it to the same standard.
import { madd, nmadd } from './madd';
import { log } from './math';

const PHILOX_0: u64 = 0xd2511f53;
const PHILOX_1: u64 = 0xcd9e8d57;

/** Keys of an example: k0 in the low half, k1 in the high half. */
export function edgeKeys(example: u32, step: u32, stream: u32, seed0: u32, seed1: u32): u64 {
  let c0: u32 = 0, c1 = example, c2 = step, c3 = stream;
  for (let round = 0; round < 10; round++) {
    const a = PHILOX_0 * <u64>c0;
    const b = PHILOX_1 * <u64>c2;
    c0 = <u32>(b >> 32) ^ c1 ^ seed0;
    c1 = <u32>b;
    c2 = <u32>(a >> 32) ^ c3 ^ seed1;
    c3 = <u32>a;
    seed0 += 0x9e3779b9;
    seed1 += 0xbb67ae85;
  }
  return (<u64>c1 << 32) | c0;
}

const MIX = memory.data<u32>([0xed5ad4bb, 0xac4c1b51, 0x31848bab, 1, 4]);
const LANES = memory.data<u32>([0, 1, 2, 3]);

// @ts-ignore: decorator
@inline
function mix(x: v128, key: v128): v128 {
  x = v128.xor(x, i32x4.shr_u(x, 17));
  x = i32x4.mul(x, v128.load32_splat(MIX));
  x = v128.xor(x, i32x4.shr_u(x, 11));
  x = i32x4.add(x, key);
  x = i32x4.mul(x, v128.load32_splat(MIX, 4));
  x = v128.xor(x, i32x4.shr_u(x, 15));
  x = i32x4.mul(x, v128.load32_splat(MIX, 8));
  return v128.xor(x, i32x4.shr_u(x, 14));
}

const SCALE = memory.data<f32>([5.9604644775390625e-8, 0.5, 1.0, -2.0]);

/** Uniform on (−1, 1): an odd multiple of 2^−24, exact in float32, never 0 or ±1. */
// @ts-ignore: decorator
@inline
function centred(bits: v128): v128 {
  const odd = v128.or(i32x4.shr_s(bits, 7), v128.load32_splat(MIX, 12));
  return f32x4.mul(f32x4.convert_i32x4_s(odd), v128.load32_splat(SCALE));
}

/** Uniform on (0, 1): an odd multiple of 2^−24, exact in float32, never 0 or 1. */
// @ts-ignore: decorator
@inline
function open(bits: v128): v128 {
  const odd = v128.or(i32x4.shr_u(bits, 8), v128.load32_splat(MIX, 12));
  return f32x4.mul(f32x4.convert_i32x4_s(odd), v128.load32_splat(SCALE));
}

/** Numbers of four neighbouring slots, the first being `slot`. */
// @ts-ignore: decorator
@inline
function counters(slot: u32, keys: u64): v128 {
  return i32x4.add(v128.load(LANES), i32x4.splat(<i32>(slot + <u32>keys)));
}

// sin(πx/2) = x·P(x²) and cos(πx/2) = Q(x²)
const SINE = memory.data<f32>([
  -3.5988432352e-6, 0.00016044118478735982, -0.004681754135318688, 0.07969262624616704, -0.6459640975062462,
  1.5707963267948966,
]);
const COSINE = memory.data<f32>([
  -2.52020423730e-5, 0.00091926027483942, -0.02086348076335296, 0.25366950790104814, -1.2337005501361697, 1.0,
]);

// @ts-ignore: decorator
@inline
function horner6(x: v128, at: usize): v128 {
  let p = madd(v128.load32_splat(at), x, v128.load32_splat(at, 4));
  p = madd(p, x, v128.load32_splat(at, 8));
  p = madd(p, x, v128.load32_splat(at, 12));
  p = madd(p, x, v128.load32_splat(at, 16));
  return madd(p, x, v128.load32_splat(at, 20));
}

/**
 * Standard normal by Box–Muller: slots s and s+4 share a radius (bits of s) and an angle πx (x from the bits of s+4).
 */
export function normalNoise(count: i32, slot: u32, keys: u64, out: usize): void {
  const key = i32x4.splat(<i32>(keys >> 32));
  const four = v128.load32_splat(MIX, 16);
  let counter = counters(slot, keys);
  for (let i = 0; i < count; i += 8) {
    const u = open(mix(counter, key));
    counter = i32x4.add(counter, four);
    const x = centred(mix(counter, key));
    counter = i32x4.add(counter, four);
    const radius = f32x4.sqrt(f32x4.mul(log(u), v128.load32_splat(SCALE, 12)));
    const xx = f32x4.mul(x, x);
    const sine = f32x4.mul(horner6(xx, SINE), x);
    // sin 2a = 2 sin a cos a and cos 2a = 1 − 2 sin² a with a = πx/2
    const twice = f32x4.mul(f32x4.add(sine, sine), radius);
    v128.store(out, f32x4.mul(twice, horner6(xx, COSINE)));
    v128.store(out, nmadd(twice, sine, radius), 16);
    out += 32;
  }
}

/** Standard logistic, log((1 + x) / (1 − x)). */
export function logisticNoise(count: i32, slot: u32, keys: u64, out: usize): void {
  const key = i32x4.splat(<i32>(keys >> 32));
  const four = v128.load32_splat(MIX, 16);
  const one = v128.load32_splat(SCALE, 8);
  let counter = counters(slot, keys);
  for (let i = 0; i < count; i += 4) {
    const x = centred(mix(counter, key));
    counter = i32x4.add(counter, four);
    v128.store(out, log(f32x4.div(f32x4.add(one, x), f32x4.sub(one, x))));
    out += 16;
  }
}

/** Uniform on (0, 1). */
export function uniformNoise(count: i32, slot: u32, keys: u64, out: usize): void {
  const key = i32x4.splat(<i32>(keys >> 32));
  const four = v128.load32_splat(MIX, 16);
  const half = v128.load32_splat(SCALE, 4);
  let counter = counters(slot, keys);
  for (let i = 0; i < count; i += 4) {
    v128.store(out, madd(centred(mix(counter, key)), half, half));
    counter = i32x4.add(counter, four);
    out += 16;
  }
}

/**
 * −(g₁ − g₂) for Gumbel draws g = −log(−log u): two draws per edge, as the paper defines it; the second has its own
 * keys.
 */
export function gumbelNoise(count: i32, slot: u32, keys1: u64, keys2: u64, out: usize): void {
  const key1 = i32x4.splat(<i32>(keys1 >> 32));
  const key2 = i32x4.splat(<i32>(keys2 >> 32));
  const four = v128.load32_splat(MIX, 16);
  let counter1 = counters(slot, keys1);
  let counter2 = counters(slot, keys2);
  for (let i = 0; i < count; i += 4) {
    const log1 = log(open(mix(counter1, key1)));
    const log2 = log(open(mix(counter2, key2)));
    counter1 = i32x4.add(counter1, four);
    counter2 = i32x4.add(counter2, four);
    v128.store(out, log(f32x4.div(log1, log2)));
    out += 16;
  }
}
