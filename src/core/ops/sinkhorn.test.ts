import { afterAll, describe, expect, it } from 'vitest';
import { checkOp, expectClose } from '../../../test/support/check-op.ts';
import fc from '../../../test/support/seeded-fast-check.ts';
import { Engine } from '../engine/engine.ts';
import type { RandomStream } from '../random.ts';
import * as reference from '../reference/sinkhorn.ts';
import { columnSums, knightSweeps, literalSweeps, rowSums } from '../reference/sinkhorn.ts';
import { sinkhorn } from './sinkhorn.ts';

for (const [n, d, sweeps] of [
  [5, 7, 10],
  [3, 16, 10],
  [40, 19, 4],
]) {
  checkOp(`sinkhorn of ${n} squared ${d}×${d} matrices, ${sweeps} sweeps`, {
    inputs: { free: { shape: [n, d, d] } },
    op: (tape, { free }) => sinkhorn(tape, free, { parameterisation: 'square', sweeps }),
    reference: ({ free }) => reference.sinkhorn(free, d, 'square', sweeps),
  });
}

const near = (bound: number, size: number) => (random: RandomStream) =>
  Float32Array.from({ length: size }, () => bound * random.centred());

checkOp('sinkhorn of exp(sigmoid(M)/0.01)', {
  inputs: { free: { shape: [6, 9, 9], values: near(0.1, 486) } },
  op: (tape, { free }) => sinkhorn(tape, free, { parameterisation: 'exp' }),
  reference: ({ free }) => reference.sinkhorn(free, 9, 'exp', 10),
});

checkOp('sinkhorn of exp(sigmoid(M)/0.01) close to a permutation', {
  inputs: { free: { shape: [3, 6, 6], values: near(1, 108) } },
  op: (tape, { free }) => sinkhorn(tape, free, { parameterisation: 'exp', sweeps: 7 }),
  reference: ({ free }) => reference.sinkhorn(free, 6, 'exp', 7),
  // e^50 · 6e-8 of rounding in the exponent
  tolerance: { value: 1e-4, gradient: 2e-3 },
});

const ones = (d: number) => new Float64Array(d).fill(1);
const distance = (sums: Float64Array) => Math.hypot(...sums.map((sum) => sum - 1));
/** The theorem's error: how far row and column sums are from 1. */
const error = (k: Float64Array, d: number) =>
  Math.hypot(distance(rowSums(k, ones(d))), distance(columnSums(k, ones(d))));
const positive = fc.integer({ min: 2, max: 6 }).chain((d) =>
  fc.record({
    d: fc.constant(d),
    k0: fc
      .array(fc.double({ min: 0.05, max: 1, noNaN: true }), { minLength: d * d, maxLength: d * d })
      .map((values) => Float64Array.from(values)),
  }),
);

describe('sinkhorn', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());

  it('makes rows and columns sum to 1', () => {
    fc.assert(
      fc.property(positive, ({ d, k0 }) => {
        const tape = engine.tape();
        const free = tape.constant([1, d, d], k0.map(Math.sqrt));
        const out = Float64Array.from(sinkhorn(tape, free, { parameterisation: 'square', sweeps: 60 }).data);
        expect(error(out, d)).toBeLessThan(1e-5);
        tape.dispose();
      }),
    );
  });

  it('makes 1 of any 1×1 matrix', () => {
    const tape = engine.tape();
    const free = engine.parameter([2, 1, 1], [0.3, -7]);
    const out = sinkhorn(tape, free, { parameterisation: 'square' });
    expectClose(out.data, [1, 1], 1e-6, 'K_T');
    out.gradient.fill(1);
    tape.replay();
    for (const slope of free.gradient) expect(Math.abs(slope)).toBeLessThan(1e-5);
    tape.dispose();
  });

  it('is not moved by a common factor of the free matrix', () => {
    const tape = engine.tape();
    const free = tape.constant([1, 3, 3], [1, 2, -3, 4, 0.5, 6, -7, 8, 0.9]);
    const larger = tape.constant(
      [1, 3, 3],
      free.data.map((m) => 1000 * m),
    );
    const out = (m: typeof free) => sinkhorn(tape, m, { parameterisation: 'square' }).data;
    expectClose(out(larger), out(free), 1e-6, 'K_T');
    tape.dispose();
  });

  it('gives a zero matrix and a zero row a uniform result and no gradient, never NaN', () => {
    const tape = engine.tape();
    const free = engine.parameter([2, 3, 3]);
    free.data.set([1, 2, 3, 0, 0, 0, 4, 5, 7], 9);
    const out = sinkhorn(tape, free, { parameterisation: 'square', sweeps: 200 });
    expectClose(out.data.subarray(0, 9), new Float32Array(9).fill(1 / 3), 1e-6, 'zero matrix');
    expect(error(Float64Array.from(out.data.subarray(9)), 3)).toBeLessThan(1e-5);
    out.gradient.set([1, -2, 3, -4, 5, -6, 7, -8, 9], 9);
    tape.replay();
    expect([...free.gradient.subarray(0, 9)].map(Math.abs)).toEqual(new Array(9).fill(0));
    expect([...free.gradient.subarray(12, 15)].map(Math.abs)).toEqual([0, 0, 0]);
    expect(free.gradient.every(Number.isFinite)).toBe(true);
    tape.dispose();
  });

  it('stays finite when sigmoid saturates', () => {
    const tape = engine.tape();
    const permutation = [40, -40, -40, -40, -40, 40, -40, 40, -40];
    const lowRow = [40, 40, 40, -40, -40, -40, 40, 40, 40];
    const lowColumn = [40, -40, 40, 40, -40, 40, 40, -40, 40];
    const free = engine.parameter([3, 3, 3], [...permutation, ...lowRow, ...lowColumn]);
    const out = sinkhorn(tape, free, { parameterisation: 'exp' });
    expectClose(out.data.subarray(0, 9), [1, 0, 0, 0, 0, 1, 0, 1, 0], 1e-6, 'a permutation');
    out.gradient.set(out.data.map((_, i) => Math.sin(i)));
    tape.replay();
    expect(out.data.every(Number.isFinite)).toBe(true);
    expect(free.gradient.every(Number.isFinite)).toBe(true);
    tape.dispose();
  });

  it('refuses matrices that are not square', () => {
    const tape = engine.tape();
    expect(() => sinkhorn(tape, engine.buffer([2, 3, 4]), { parameterisation: 'square' })).toThrow(
      'sinkhorn free matrices: shape must be [owners, 3, 3], got [2, 3, 4]',
    );
    expect(() => sinkhorn(tape, engine.buffer([0, 3, 3]), { parameterisation: 'square' })).toThrow(
      'sinkhorn free matrices: must not be empty, got [0, 3, 3]',
    );
  });

  it('refuses a number of sweeps that is not a positive integer', () => {
    const free = engine.buffer([1, 2, 2]);
    expect(() => sinkhorn(engine.tape(), free, { parameterisation: 'exp', sweeps: 0 })).toThrow(
      'sinkhorn sweeps: must be a positive integer, got 0',
    );
  });

  it('refuses an unknown parameterisation', () => {
    const free = engine.buffer([1, 2, 2]);
    expect(() => sinkhorn(engine.tape(), free, { parameterisation: 'cube' as 'exp' })).toThrow(
      "sinkhorn parameterisation: must be 'square' or 'exp', got cube",
    );
  });
});

/** Second singular value of a doubly stochastic matrix: power iteration on PᵀP away from the vector of ones. */
function secondSingularValue(p: Float64Array, d: number): number {
  let x = Float64Array.from({ length: d }, (_, i) => Math.sin(1 + i * i));
  let length = 0;
  for (let i = 0; i < 1000; i++) {
    const mean = x.reduce((sum, value) => sum + value, 0) / d;
    x = columnSums(
      p,
      rowSums(
        p,
        x.map((value) => value - mean),
      ),
    );
    length = Math.hypot(...x);
    if (length < 1e-300) return 0;
    x = x.map((value) => value / length);
  }
  return Math.sqrt(length);
}

describe('Sinkhorn–Knopp', () => {
  it('has an error that falls by σ₂² of the limit in every sweep, at most', () => {
    fc.assert(
      fc.property(positive, ({ d, k0 }) => {
        const sigma2 = secondSingularValue(knightSweeps(k0, d, 400), d);
        for (let j = 1; j < 60; j++) {
          const before = error(knightSweeps(k0, d, j), d);
          if (before > 1e-4 || before < 1e-10) continue;
          expect(error(knightSweeps(k0, d, j + 1), d) / before).toBeLessThan(sigma2 ** 2 * 1.01 + 1e-4);
        }
      }),
    );
  });

  it('reaches that rate', () => {
    const d = 4;
    const k0 = Float64Array.from({ length: d * d }, (_, at) => (at % (d + 1) === 0 ? 3 + at : 1 + (at % 3)));
    const sigma2 = secondSingularValue(knightSweeps(k0, d, 400), d);
    const ratio = error(knightSweeps(k0, d, 13), d) / error(knightSweeps(k0, d, 12), d);
    expect(sigma2).toBeGreaterThan(0.3);
    expect(ratio / sigma2 ** 2).toBeCloseTo(1, 2);
    // As printed, with the factor λ taken out, a step gains only σ₂.
    const shape = (k: Float64Array) =>
      error(
        k.map((value) => (d * value) / k.reduce((sum, v) => sum + v, 0)),
        d,
      );
    expect(shape(literalSweeps(k0, d, 25)) / shape(literalSweeps(k0, d, 24)) / sigma2).toBeCloseTo(1, 2);
  });

  it('as the supplement prints it alternates P/3, 3P, P/3, … from K₀ = 3P', () => {
    const p = Float64Array.of(0.5, 0.3, 0.2, 0.2, 0.5, 0.3, 0.3, 0.2, 0.5);
    const k0 = p.map((value) => 3 * value);
    for (const sweeps of [1, 101])
      expectClose(
        literalSweeps(k0, 3, sweeps),
        p.map((v) => v / 3),
        1e-9,
        'odd',
      );
    for (const sweeps of [2, 100]) expectClose(literalSweeps(k0, 3, sweeps), k0, 1e-9, 'even');
    expectClose(knightSweeps(k0, 3, 1), p, 1e-12, 'with the new c');
  });

  it('as the supplement prints it ends in λP and P/λ, P being the limit with the new c', () => {
    fc.assert(
      fc.property(positive, ({ d, k0 }) => {
        const limit = knightSweeps(k0, d, 400);
        const even = literalSweeps(k0, d, 800);
        const odd = literalSweeps(k0, d, 801);
        const lambda = even[0] / limit[0];
        expectClose(
          even,
          limit.map((value) => lambda * value),
          1e-6,
          'even',
        );
        expectClose(
          odd,
          limit.map((value) => value / lambda),
          1e-6,
          'odd',
        );
      }),
    );
  });
});
