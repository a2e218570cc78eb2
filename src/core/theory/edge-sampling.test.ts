// Edges drawn by the kernels: the same bits as the reference, the paper's distributions, no visible pattern.
import { afterAll, describe, expect, test } from 'vitest';
import { Engine } from '../engine/engine.ts';
import type { RelaxationKind } from '../ops/edge-quantiles.ts';
import { seedKey } from '../random.ts';
import { edgeNoise } from '../reference/edge-noise.ts';
import { edgeSlot, quantile } from '../reference/relaxed-bernoulli.ts';
import { logistic, normal, uniform } from './reference-distribution.ts';
import { gumbelCdf, icdfCdf } from './relaxation-theory.ts';

const engine = new Engine({ threads: 1 });
const { kernels, memory } = engine;
afterAll(() => engine.dispose());

const KINDS = { normal: 0, logistic: 1, uniform: 2, gumbel: 3 } as const;
const OWNERS = 200;
const SLOTS = kernels.edgeSlots(OWNERS);
const EDGES = (OWNERS * (OWNERS - 1)) / 2;
const quantiles = memory.allocate(SLOTS * 4);
const z = memory.allocate(SLOTS * 4);
const SEED = seedKey(2023);
const realSlots = Uint32Array.from(
  (function* () {
    for (let i = 0; i < OWNERS; i++) for (let j = i + 1; j < OWNERS; j++) yield edgeSlot(i, j, OWNERS);
  })(),
);

/** Samples of every edge of one example, all with the same θ. */
function sample(kind: RelaxationKind, theta: number, tau: number, example: number, step = 0, stream = 0): Float32Array {
  memory.floats(quantiles, SLOTS).fill(quantile(kind, theta));
  kernels.sampleEdges(example, OWNERS, KINDS[kind], 1 / tau, step, stream, ...SEED, quantiles, z);
  const all = memory.floats(z, SLOTS);
  return Float32Array.from(realSlots, (slot) => all[slot]);
}

/** The uniforms on (−1, 1) themselves. */
function uniforms(example: number, step = 0, stream = 0): Float64Array {
  const x = new Float64Array(SLOTS);
  const address = memory.allocate(SLOTS * 4);
  kernels.uniformNoise(SLOTS, 0, kernels.edgeKeys(example, step, stream, ...SEED), address);
  memory.floats(address, SLOTS).forEach((u, i) => {
    x[i] = 2 * u - 1;
  });
  memory.free(address, SLOTS * 4);
  return x;
}

describe('the kernels draw what the reference draws', () => {
  test.each(Object.keys(KINDS) as RelaxationKind[])('%s', (kind) => {
    const got = sample(kind, 0.3, 0.5, 17, 4, 2);
    const q = quantile(kind, 0.3);
    let worst = 0;
    realSlots.forEach((slot, e) => {
      const s = edgeNoise(kind, SEED, slot, 17, 4, 2);
      worst = Math.max(worst, Math.abs(got[e] - 1 / (1 + Math.exp((s - q) / 0.5))));
    });
    expect(worst).toBeLessThan(2e-6);
  });
});

describe('a million samples follow the theorem and tell θ = 0.3 from 0.304', () => {
  /** Kolmogorov's critical value of √n·D at p = 0.001. The seed is fixed, so the test cannot flicker. */
  const CRITICAL = 1.9495;
  const TAU = 0.5;
  const EXAMPLES = Math.ceil(1_000_000 / EDGES);

  /** √n times the largest distance between the empirical distribution and `cdf`. */
  function kolmogorov(sorted: Float32Array, cdf: (t: number) => number): number {
    let distance = 0;
    for (let i = 0; i < sorted.length; i++) {
      const p = cdf(sorted[i]);
      distance = Math.max(distance, p - i / sorted.length, (i + 1) / sorted.length - p);
    }
    return Math.sqrt(sorted.length) * distance;
  }

  const laws: [RelaxationKind, string, (theta: number, t: number) => number][] = [
    ['normal', 'Theorem 1', (theta, t) => icdfCdf(normal(), theta, TAU, t)],
    ['logistic', 'Theorem 1', (theta, t) => icdfCdf(logistic, theta, TAU, t)],
    ['uniform', 'Theorem 1', (theta, t) => icdfCdf(uniform, theta, TAU, t)],
    ['gumbel', 'Theorem 2', (theta, t) => gumbelCdf(theta, TAU, t)],
  ];
  test.each(laws)('%s, %s', (kind, _, cdf) => {
    const samples = new Float32Array(EXAMPLES * EDGES);
    for (let b = 0; b < EXAMPLES; b++) samples.set(sample(kind, 0.3, TAU, b), b * EDGES);
    samples.sort();
    expect(kolmogorov(samples, (t) => cdf(0.3, t))).toBeLessThan(CRITICAL);
    expect(kolmogorov(samples, (t) => cdf(0.304, t))).toBeGreaterThan(CRITICAL);
  });
});

describe('no pattern between', () => {
  const correlation = (a: Float64Array, b: Float64Array) => {
    let sum = 0;
    for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
    return (3 * sum) / Math.sqrt(a.length);
  };
  /** The correlations are standard normal if there is none; 5 is passed once in two million. */
  const LIMIT = 5;

  test('neighbouring slots, at any distance up to 64', () => {
    const x = uniforms(0);
    for (let lag = 1; lag <= 64; lag++) {
      const c = correlation(x.subarray(0, SLOTS - 64), x.subarray(lag, SLOTS - 64 + lag));
      expect(Math.abs(c), `lag ${lag}`).toBeLessThan(LIMIT);
    }
  });

  test('examples, steps and streams that differ by one', () => {
    for (let i = 0; i < 20; i++) {
      const x = uniforms(i, i, 0);
      for (const other of [uniforms(i + 1, i, 0), uniforms(i, i + 1, 0), uniforms(i, i, 1)]) {
        expect(Math.abs(correlation(x, other)), `draw ${i}`).toBeLessThan(LIMIT);
      }
    }
  });

  test('the leading 8 bits of a slot and of its neighbour: chi-square over 65,536 cells', () => {
    const cells = new Float64Array(65_536);
    const examples = 100;
    for (let b = 0; b < examples; b++) {
      const x = uniforms(b);
      for (let i = 0; i + 1 < SLOTS; i += 2) {
        cells[Math.floor((x[i] + 1) * 128) * 256 + Math.floor((x[i + 1] + 1) * 128)]++;
      }
    }
    const expected = (examples * SLOTS) / 2 / cells.length;
    let chi = 0;
    for (const count of cells) chi += (count - expected) ** 2 / expected;
    const standardised = (chi - (cells.length - 1)) / Math.sqrt(2 * (cells.length - 1));
    expect(Math.abs(standardised)).toBeLessThan(LIMIT);
  });
});
