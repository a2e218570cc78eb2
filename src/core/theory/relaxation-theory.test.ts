// Tests of the relaxation theory: the paper's formulas against quadrature and mpmath values.

import { describe, expect, test } from 'vitest';
import fc from '../../../test/support/seeded-fast-check.ts';
import { logistic, normal, sigmoid, uniform } from './reference-distribution.ts';
import {
  biasRatio,
  gumbelBias,
  gumbelBiasExpansion,
  gumbelCdf,
  icdfAdvantageInterval,
  icdfBias,
  icdfBiasExpansion,
  icdfCdf,
  normalBiasExpansion,
  uniformBias,
} from './relaxation-theory.ts';

const REFERENCES = [
  ['normal', normal()],
  ['logistic', logistic],
  ['uniform', uniform],
] as const;
const THETAS = [0.01, 0.05, 0.2, 0.4, 0.5, 0.63, 0.9, 0.99];

describe('Theorem 1', () => {
  test('the first two cases hold outside the reach of a finite support', () => {
    const low = sigmoid((0.3 - 1) / 0.5);
    const high = sigmoid(0.3 / 0.5);
    expect(icdfCdf(uniform, 0.3, 0.5, low - 1e-9)).toBe(0);
    expect(icdfCdf(uniform, 0.3, 0.5, high + 1e-9)).toBe(1);
    expect(icdfCdf(uniform, 0.3, 0.5, 0.5)).toBeCloseTo(0.7, 15);
    expect(icdfCdf(uniform, 0.3, 0.5, low + 1e-9)).toBeGreaterThan(0);
    expect(icdfCdf(uniform, 0.3, 0.5, high - 1e-9)).toBeLessThan(1);
  });

  test.each(REFERENCES)('Pr(z ≤ t) rises from 0 at t = 0 to 1 at t = 1, %s', (_, F) => {
    const values = [0, 1e-12, 0.01, 0.3, 0.5, 0.7, 0.99, 1 - 1e-12, 1].map((t) => icdfCdf(F, 0.2, 0.4, t));
    expect(values).toEqual([...values].sort((x, y) => x - y));
    expect([values[0], values.at(-1)]).toEqual([0, 1]);
  });

  test.each(REFERENCES)('tends to Bernoulli(θ) as τ → 0, %s', (_, F) => {
    for (const theta of THETAS) {
      for (const t of [1e-6, 0.25, 0.5, 0.75, 1 - 1e-6]) {
        expect(icdfCdf(F, theta, 1e-9, t)).toBeCloseTo(1 - theta, 7);
        expect(gumbelCdf(theta, 1e-9, t)).toBeCloseTo(1 - theta, 7);
      }
      expect(icdfCdf(F, theta, 1e-9, 0)).toBe(0);
      expect(icdfCdf(F, theta, 1e-9, 1)).toBe(1);
    }
  });

  test('Theorem 2 is Theorem 1 with the logistic F', () => {
    for (const theta of THETAS) {
      for (const t of [0, 0.001, 0.3, 0.5, 0.8, 0.999, 1]) {
        expect(icdfCdf(logistic, theta, 0.3, t)).toBeCloseTo(gumbelCdf(theta, 0.3, t), 14);
      }
    }
  });

  test('only τ/σ matters to the normal F', () => {
    expect(icdfCdf(normal(2.5), 0.2, 0.5, 0.3)).toBeCloseTo(icdfCdf(normal(), 0.2, 0.2, 0.3), 14);
    expect(icdfBias(normal(2.5), 0.2, 0.5)).toBeCloseTo(icdfBias(normal(), 0.2, 0.2), 15);
  });

  test('arguments out of range are named with their value', () => {
    expect(() => icdfCdf(uniform, 0, 0.1, 0.5)).toThrow('edge probability: must be in (0, 1), got 0');
    expect(() => icdfBias(uniform, 0.5, 0)).toThrow('temperature: must be positive, got 0');
    expect(() => gumbelCdf(0.5, 0.1, 1.5)).toThrow('sample value: must be in [0, 1], got 1.5');
  });
});

describe('exact bias', () => {
  test.each([
    ['normal', normal(), 0.2, 0.1, 0.0037772797562289143],
    ['normal', normal(), 0.01, 0.5, 0.032121079121947706],
    ['normal', normal(), 0.8, 1, -0.13208347025757855],
    ['logistic', logistic, 0.2, 0.1, 0.0015625368358303515],
    ['logistic', logistic, 0.01, 0.5, 0.005026301185364426],
    ['logistic', logistic, 0.8, 1, -0.08279749383106251],
    ['logistic', logistic, 0.3, 3, 0.13502677747711334],
  ] as const)('%s agrees with 30-digit quadrature (case %#)', (_, F, theta, tau, value) => {
    expect(Math.abs(icdfBias(F, theta, tau) - value)).toBeLessThan(1e-15);
  });

  test('split at the kinks, the uniform F agrees with its closed form', () => {
    for (const theta of THETAS) {
      for (const tau of [0.01, 0.1, 0.5, 1, 10]) {
        expect(Math.abs(icdfBias(uniform, theta, tau) - uniformBias(theta, tau))).toBeLessThan(1e-15);
      }
    }
  });

  test('Gumbel agrees with ICDF under the logistic F', () => {
    for (const theta of THETAS) {
      for (const tau of [0.05, 0.3, 1, 10]) {
        expect(Math.abs(gumbelBias(theta, tau) - icdfBias(logistic, theta, tau))).toBeLessThan(1e-15);
      }
    }
  });
});

describe('Theorem 3', () => {
  type BiasFormula = (theta: number, tau: number) => number;
  const formulas: [string, BiasFormula, BiasFormula][] = [
    ['normal', (...p) => icdfBias(normal(), ...p), (...p) => icdfBiasExpansion(normal(), ...p)],
    ['logistic', (...p) => icdfBias(logistic, ...p), (...p) => icdfBiasExpansion(logistic, ...p)],
    ['Gumbel', gumbelBias, gumbelBiasExpansion],
  ];

  test.each(formulas)('the remainder falls sixteenfold when τ halves, %s', (_, exact, expansion) => {
    const remainder: BiasFormula = (theta, tau) => exact(theta, tau) - expansion(theta, tau);
    for (const theta of [0.02, 0.2, 0.3, 0.4, 0.7]) {
      const ratio = remainder(theta, 0.05) / remainder(theta, 0.025);
      expect(ratio).toBeGreaterThan(15.7);
      expect(ratio).toBeLessThan(16.3);
    }
  });

  test('the normal(σ) and Gumbel closed forms are the general expansion', () => {
    for (const theta of THETAS) {
      for (const sigma of [1, Math.SQRT2, 2.5]) {
        expect(normalBiasExpansion(sigma, theta, 0.1)).toBeCloseTo(icdfBiasExpansion(normal(sigma), theta, 0.1), 16);
      }
      expect(gumbelBiasExpansion(theta, 0.1)).toBeCloseTo(icdfBiasExpansion(logistic, theta, 0.1), 16);
    }
  });

  test('a kink breaks O(τ⁴): the uniform F has bias τ·log(1 + 1/e) at θ = τ, where the expansion says 0', () => {
    for (const tau of [0.1, 0.01, 0.001]) {
      expect(icdfBiasExpansion(uniform, tau, tau)).toBe(0);
      expect(uniformBias(tau, tau) / tau).toBeCloseTo(Math.log1p(Math.exp(-1)), 3);
    }
    expect(uniformBias(0.3, 0.005)).toBeLessThan(1e-27);
  });
});

describe('Theorem 4', () => {
  const theta = fc.double({ min: 1e-4, max: 0.4999, noNaN: true });
  const tau = fc.double({ min: 0.02, max: 20, noNaN: true });

  test('every bias is positive below θ = 1/2 and negative, of equal size, above', () => {
    fc.assert(
      fc.property(theta, tau, (p, temperature) => {
        for (const bias of [
          (x: number) => icdfBias(normal(), x, temperature),
          (x: number) => icdfBias(logistic, x, temperature),
          (x: number) => gumbelBias(x, temperature),
        ]) {
          expect(bias(p)).toBeGreaterThan(0);
          expect(Math.abs(bias(p) + bias(1 - p))).toBeLessThan(1e-13); // 1 − p is rounded, and F⁻¹ steep there
        }
        expect(uniformBias(p, temperature)).toBeGreaterThan(0);
        expect(uniformBias(1 - p, temperature)).toBeLessThan(0);
      }),
      { numRuns: 200 },
    );
  });

  test('no bias at θ = 1/2', () => {
    for (const temperature of [0.02, 0.1, 1, 20]) {
      for (const [, F] of REFERENCES) expect(Math.abs(icdfBias(F, 0.5, temperature))).toBeLessThan(1e-15);
      expect(gumbelBias(0.5, temperature)).toBe(0);
    }
  });
});

describe('tuning guidance', () => {
  test('r is symmetric, concave, at most 1/2 with equality at θ = 1/2, and falls to 0 at the ends', () => {
    const h = 1e-3;
    for (let theta = 2 * h; theta < 1 - 2 * h; theta += h) {
      const r = biasRatio(theta);
      expect(biasRatio(theta - h) - 2 * r + biasRatio(theta + h)).toBeLessThan(0);
      expect(r).toBeCloseTo(biasRatio(1 - theta), 12);
      expect(r).toBeLessThanOrEqual(0.5);
    }
    expect(biasRatio(0.5)).toBe(0.5);
    expect(biasRatio(0.01)).toBeCloseTo(0.156478433711538, 14);
    expect(biasRatio(1e-30)).toBeCloseTo(0.007552345723809401, 15);
  });

  test('σ = √2 leaves ICDF no interval; [0.01, 0.99] takes σ = 2.528, not quite the 2.5 of the paper', () => {
    expect(icdfAdvantageInterval(1)).toBeNull();
    expect(icdfAdvantageInterval(1.41)).toBeNull();
    expect(icdfAdvantageInterval(2.5)?.[0]).toBeCloseTo(0.0108941633099, 12);
    expect(icdfAdvantageInterval(2.5)?.[1]).toBeCloseTo(1 - 0.0108941633099, 12);
    expect(icdfAdvantageInterval(2.527974884)?.[0]).toBeCloseTo(0.01, 10);
    expect(icdfAdvantageInterval(1, 2.5)).toEqual(icdfAdvantageInterval(2.5));
  });

  test('the interval tells which exact bias is smaller at the small temperature of the paper, τ = 0.1', () => {
    const [low] = icdfAdvantageInterval(2.528) as readonly [number, number];
    expect(gumbelBias(low + 0.005, 0.1)).toBeGreaterThan(icdfBias(normal(2.528), low + 0.005, 0.1));
    expect(gumbelBias(low - 0.005, 0.1)).toBeLessThan(icdfBias(normal(2.528), low - 0.005, 0.1));
    expect(gumbelBias(0.2, 0.1)).toBeLessThan(icdfBias(normal(), 0.2, 0.1) / 2);
  });
});
