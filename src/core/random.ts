// Counter-based random numbers: Philox4x32-10 (Salmon et al. 2011, Random123) and sequential streams of it.
//
// Every number is a pure function of (key, counter): no hidden state, the same bits on any thread count.
import { expectArgument } from './errors.ts';
import { inverseErf } from './theory/inverse-error-function.ts';

/** Two 32-bit words that choose a sequence of random bits. */
export type PhiloxKey = readonly [number, number];
/** Four 32-bit words that number a block of random bits. */
export type PhiloxCounter = readonly [number, number, number, number];

const ROUNDS = 10;
const MULTIPLIER_0 = 0xd2511f53;
const MULTIPLIER_1 = 0xcd9e8d57;
const WEYL_0 = 0x9e3779b9;
const WEYL_1 = 0xbb67ae85;

/** High 32 bits of the 64-bit product of two unsigned 32-bit words, by 16-bit halves. */
function multiplyHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = Math.imul(aHigh, bLow) + (Math.imul(aLow, bLow) >>> 16);
  const carry = Math.imul(aLow, bHigh) + (middle & 0xffff);
  return (Math.imul(aHigh, bHigh) + (middle >>> 16) + (carry >>> 16)) | 0;
}

/** Philox4x32 with ten rounds; writes four 32-bit words to `out`. */
export function philox4x32(counter: PhiloxCounter, key: PhiloxKey, out: Uint32Array): void {
  philoxWords(counter[0], counter[1], counter[2], counter[3], key, out);
}

function philoxWords(
  counter0: number,
  counter1: number,
  counter2: number,
  counter3: number,
  key: PhiloxKey,
  out: Uint32Array,
): void {
  let c0 = counter0 | 0;
  let c1 = counter1 | 0;
  let c2 = counter2 | 0;
  let c3 = counter3 | 0;
  let k0 = key[0] | 0;
  let k1 = key[1] | 0;
  for (let round = 0; round < ROUNDS; round++) {
    const high0 = multiplyHigh(MULTIPLIER_0, c0);
    const high1 = multiplyHigh(MULTIPLIER_1, c2);
    const low0 = Math.imul(MULTIPLIER_0, c0);
    const low1 = Math.imul(MULTIPLIER_1, c2);
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 = (k0 + WEYL_0) | 0;
    k1 = (k1 + WEYL_1) | 0;
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

/** Key of a seed, an integer in [0, 2^53): [low 32 bits, high 21 bits]. */
export function seedKey(seed: number): PhiloxKey {
  expectArgument(Number.isSafeInteger(seed) && seed >= 0, 'seed', 'must be an integer in [0, 2^53)', seed);
  return [seed >>> 0, Math.floor(seed / 2 ** 32)];
}

/**
 * Centred uniform x in (−1, 1) from 32 bits: k = bits >>> 8, x = (2k + 1 − 2^24) / 2^24. Exact in float32, symmetric,
 * never 0 or ±1; the uniform on (0, 1) is (1 + x) / 2.
 */
export function centredUniform(bits: number): number {
  return (2 * (bits >>> 8) + 1 - 2 ** 24) / 2 ** 24;
}

/**
 * Numbers drawn one after another from (seed, stream). Block i is the counter (i low, i high, 2^32 − 1, stream): no
 * training step is numbered 2^32 − 1, so a stream shares no block with edge draws under the same seed. Words needed
 * per draw: `uniform` and `normal` 2, `fillUniform` 1 per value, `integer` 1 plus any rejected.
 */
export class RandomStream {
  readonly #key: PhiloxKey;
  readonly #stream: number;
  readonly #words = new Uint32Array(4);
  #blocks = 0;
  #used = 4;

  constructor(seed: number, stream: number) {
    expectArgument(stream >>> 0 === stream, 'random stream id', 'must be an integer in [0, 2^32)', stream);
    this.#key = seedKey(seed);
    this.#stream = stream;
  }

  /** The next 32 bits. */
  bits(): number {
    if (this.#used === 4) {
      const high = Math.floor(this.#blocks / 2 ** 32);
      philoxWords(this.#blocks, high, 0xffffffff, this.#stream, this.#key, this.#words);
      this.#blocks++;
      this.#used = 0;
    }
    return this.#words[this.#used++] as number;
  }

  /** Uniform on (−1, 1) with 52 bits, an odd multiple of 2^−52: symmetric, never 0 or ±1. */
  centred(): number {
    const high = this.bits();
    const low = this.bits() >>> 12;
    return (2 * (high * 2 ** 20 + low) + 1 - 2 ** 52) / 2 ** 52;
  }

  /** Uniform on the open interval (0, 1). */
  uniform(): number {
    return (1 + this.centred()) / 2;
  }

  /** Standard normal, by inversion: one uniform, one normal. */
  normal(): number {
    return Math.SQRT2 * inverseErf(this.centred());
  }

  /** Uniform integer in [0, n), 1 ≤ n ≤ 2^32, without modulo bias. */
  integer(n: number): number {
    const fits = Number.isInteger(n) && n >= 1 && n <= 2 ** 32;
    expectArgument(fits, 'random integer range', 'must be an integer in [1, 2^32]', n);
    const limit = 2 ** 32 - (2 ** 32 % n);
    let bits = this.bits();
    while (bits >= limit) bits = this.bits();
    return bits % n;
  }

  /** Uniform permutation of 0..n−1 (Fisher–Yates, from the end). */
  permutation(n: number): Uint32Array {
    const order = Uint32Array.from({ length: n }, (_, i) => i);
    for (let i = n - 1; i > 0; i--) {
      const j = this.integer(i + 1);
      const kept = order[i] as number;
      order[i] = order[j] as number;
      order[j] = kept;
    }
    return order;
  }

  /** Fills `out` with uniforms on (lo, hi), 24 bits each; rounding to float32 can reach an end. */
  fillUniform(out: Float32Array, lo: number, hi: number): void {
    const centre = (lo + hi) / 2;
    const radius = (hi - lo) / 2;
    for (let i = 0; i < out.length; i++) out[i] = centre + radius * centredUniform(this.bits());
  }
}
