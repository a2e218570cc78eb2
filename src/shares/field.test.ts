import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import fc from '../../test/support/seeded-fast-check.ts';
import { Engine } from '../core/engine/engine.ts';
import { fromBytes, inverse, modulo, PRIME, power, toBytes } from '../core/reference/field.ts';
import { Field } from './field.ts';

/** Numbers of the field, those beside 0 and the prime and at word borders among them. */
const borders = [0n, 1n, 2n, PRIME - 1n, PRIME - 2n, 2n ** 63n, 2n ** 64n - 1n, 2n ** 64n, 2n ** 126n, 2n ** 32n - 1n];
const number = fc.oneof(fc.bigInt({ min: 0n, max: PRIME - 1n }), fc.constantFrom(...borders));
const numbers = (length: number) => fc.array(number, { minLength: length, maxLength: length });

for (const build of ['simd', 'relaxed'] as const) {
  describe(`the field 2^127 − 1, ${build} kernels`, () => {
    const engine = new Engine({ threads: 1, build });
    const field = new Field(engine);
    afterAll(() => engine.dispose());
    beforeEach(() => field.reset());
    const load = (values: bigint[]) => field.load(toBytes(values));
    const read = (values: { address: number; count: number }) => fromBytes(field.bytes(values));

    it('adds, subtracts, multiplies and scales as BigInt does', () => {
      fc.assert(
        fc.property(numbers(7), numbers(7), number, (a, b, c) => {
          field.reset();
          const [x, y, out] = [load(a), load(b), field.temporary(7)];
          field.add(x, y, out);
          expect(read(out)).toEqual(a.map((value, i) => modulo(value + b[i])));
          field.subtract(x, y, out);
          expect(read(out)).toEqual(a.map((value, i) => modulo(value - b[i])));
          field.multiply(x, y, out);
          expect(read(out)).toEqual(a.map((value, i) => modulo(value * b[i])));
          field.scale(c, x, out);
          field.scale(c, y, out, { accumulate: true });
          expect(read(out)).toEqual(a.map((value, i) => modulo(c * (value + b[i]))));
        }),
        { numRuns: 300 },
      );
    });

    it('multiplies matrices of shares as BigInt does, whatever their sizes', () => {
      const sizes = fc.record({
        m: fc.integer({ min: 1, max: 19 }),
        n: fc.integer({ min: 1, max: 18 }),
        k: fc.integer({ min: 1, max: 70 }),
      });
      fc.assert(
        fc.property(
          sizes.chain(({ m, n, k }) => fc.tuple(fc.constant({ m, n, k }), numbers(m * k), numbers(k * n))),
          ([{ m, n, k }, a, b]) => {
            field.reset();
            const c = field.temporary(m * n);
            field.product({ m, n, k, a: { at: load(a), row: k }, b: { at: load(b), row: n }, c: { at: c, row: n } });
            expect(read(c)).toEqual(productOf(a, b, m, n, k));
          },
        ),
        { numRuns: 40 },
      );
    });

    it('multiplies long rows of the largest numbers and digits without losing a carry', () => {
      const [m, n, k] = [5, 9, 1601];
      // Digits of −4096 everywhere are the largest in magnitude.
      const worst = Array.from({ length: 10 }, (_, d) => 4096n << BigInt(13 * d)).reduce((sum, part) => sum + part, 0n);
      for (const value of [PRIME - 1n, worst % PRIME, 0x1fffn, PRIME - 4096n]) {
        field.reset();
        const [a, b] = [new Array<bigint>(m * k).fill(value), new Array<bigint>(k * n).fill(value)];
        const c = field.temporary(m * n);
        field.product({ m, n, k, a: { at: load(a), row: k }, b: { at: load(b), row: n }, c: { at: c, row: n } });
        expect(new Set(read(c))).toEqual(new Set([modulo(value * value * BigInt(k))]));
      }
    });

    it('multiplies public whole numbers of either sign with shares', () => {
      const largest = 2 ** 25 - 2 ** 13;
      fc.assert(
        fc.property(
          fc.array(fc.integer({ min: -largest, max: largest }), { minLength: 15, maxLength: 15 }),
          numbers(15),
          (a, b) => {
            field.reset();
            const c = field.temporary(9);
            field.product({
              m: 3,
              n: 3,
              k: 5,
              a: Int32Array.from(a),
              b: { at: load(b), row: 3 },
              c: { at: c, row: 3 },
            });
            expect(read(c)).toEqual(productOf(a.map(BigInt), b, 3, 3, 5));
          },
        ),
        { numRuns: 200 },
      );
    });

    it('multiplies stacks with any strides, adds to what is there, and leaves tiles below the diagonal alone', () => {
      const random = fc.sample(number, 2 * 6 * 4);
      const at = load(random);
      const c = load(new Array<bigint>(2 * 36).fill(5n));
      // A [6, 4] and its transpose: C = 5 + A·Aᵀ
      const product = {
        m: 6,
        n: 6,
        k: 4,
        stacks: 2,
        a: { at, row: 4, stack: 24 },
        b: { at, row: 1, step: 4, stack: 24 },
      };
      field.product({ ...product, c: { at: c, row: 6, stack: 36 }, accumulate: true });
      const expected = [0, 1].flatMap((s) => {
        const a = random.slice(s * 24, (s + 1) * 24);
        const transposed = Array.from({ length: 24 }, (_, i) => a[(i % 6) * 4 + Math.floor(i / 6)]);
        return productOf(a, transposed, 6, 6, 4).map((value) => modulo(value + 5n));
      });
      expect(read(c)).toEqual(expected);
      const large = load(fc.sample(number, 40 * 3));
      const upper = load(new Array<bigint>(1600).fill(7n));
      field.product({
        m: 40,
        n: 40,
        k: 3,
        a: { at: large, row: 3 },
        b: { at: large, row: 1, step: 3 },
        c: { at: upper, row: 40 },
        upper: true,
      });
      const values = read(upper);
      expect(values[39 * 40]).toBe(7n);
      const rows = read(large);
      expect(values[3 * 40 + 39]).toBe(modulo([0, 1, 2].reduce((sum, i) => sum + rows[9 + i] * rows[117 + i], 0n)));
    });
  });
}

describe('the reference', () => {
  it('inverts', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: PRIME - 1n }), (value) => {
        expect(modulo(value * inverse(value))).toBe(1n);
      }),
    );
    expect(power(3n, 0n)).toBe(1n);
  });
});

function productOf(a: bigint[], b: bigint[], m: number, n: number, k: number): bigint[] {
  return Array.from({ length: m * n }, (_, at) => {
    let sum = 0n;
    for (let i = 0; i < k; i++) sum += a[Math.floor(at / n) * k + i] * b[i * n + (at % n)];
    return modulo(sum);
  });
}
