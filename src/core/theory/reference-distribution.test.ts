// Tests of the reference distributions.
import { describe, expect, test } from 'vitest';
import { logistic, normal, type ReferenceName, referenceDistribution, uniform } from './reference-distribution.ts';

const PROBABILITIES = [1e-4, 0.01, 0.1, 0.3, 0.5, 0.62, 0.9, 0.99, 1 - 1e-4];

describe.each([
  ['normal', normal()],
  ['normal(2.5)', normal(2.5)],
  ['logistic', logistic],
  ['uniform', uniform],
])('%s', (_, F) => {
  test('quantile is the inverse of cdf', () => {
    for (const p of PROBABILITIES) expect(F.cdf(F.quantile(p))).toBeCloseTo(p, 14);
  });

  test('pdf is the derivative of cdf, and pdfSlope that of pdf', () => {
    const h = 1e-5;
    for (const p of PROBABILITIES) {
      const x = F.quantile(p);
      expect(F.pdf(x)).toBeCloseTo((F.cdf(x + h) - F.cdf(x - h)) / (2 * h), 9);
      expect(F.pdfSlope(x)).toBeCloseTo((F.pdf(x + h) - F.pdf(x - h)) / (2 * h), 9);
    }
  });

  test('cdf is 0 and 1 at the ends of the support and beyond', () => {
    const [a, b] = F.support;
    expect([F.cdf(a), F.cdf(b)]).toEqual([0, 1]);
    expect([F.cdf(Number.NEGATIVE_INFINITY), F.cdf(Number.POSITIVE_INFINITY)]).toEqual([0, 1]);
  });

  test('quantile refuses a probability outside (0, 1)', () => {
    for (const p of [0, 1, -0.5, Number.NaN]) {
      expect(() => F.quantile(p)).toThrow(`${F.name} quantile probability: must be in (0, 1), got ${p}`);
    }
  });
});

test('quantiles keep their relative accuracy far in the left tail', () => {
  expect(normal().quantile(1e-300)).toBeCloseTo(-37.0470962993612, 12);
  expect(logistic.quantile(1e-300)).toBeCloseTo(-690.7755278982137, 11);
});

test('normal(σ) scales the standard normal', () => {
  expect(normal(2.5).quantile(0.3)).toBeCloseTo(2.5 * normal().quantile(0.3), 14);
  expect(() => normal(0)).toThrow('normal reference sigma: must be positive and finite, got 0');
});

describe('referenceDistribution', () => {
  test('finds each distribution by its name', () => {
    for (const name of ['normal', 'logistic', 'uniform'] as const) expect(referenceDistribution(name).name).toBe(name);
  });

  test('names the choices when given another name', () => {
    expect(() => referenceDistribution('cauchy' as ReferenceName)).toThrow(
      'reference distribution: must be normal, logistic or uniform, got cauchy',
    );
  });
});
