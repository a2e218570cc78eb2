import { describe, expect, it } from 'vitest';
import { normalise, zScore } from './normalise-windows.ts';

describe('z-scored windows', () => {
  // Three samples of two steps and two variates; the third is not in the training part.
  const windows = Float32Array.of(1, 10, 3, 10, 5, 10, 7, 10, 100, 20, 100, 20);
  const normalisation = zScore(windows, Uint32Array.of(0, 1), 2, 2);

  it('use the statistics of the training windows alone', () => {
    expect(normalisation.mean).toEqual([4, 10]);
    expect(normalisation.deviation[0]).toBeCloseTo(Math.sqrt(5), 12);
  });

  it('have mean 0 and deviation 1 per variate over them, and leave a constant variate at 0', () => {
    const scored = normalise(windows, normalisation);
    const first = [0, 2, 4, 6].map((at) => scored[at]);
    expect(first.reduce((a, b) => a + b)).toBeCloseTo(0, 6);
    expect(first.reduce((a, b) => a + b * b, 0) / 4).toBeCloseTo(1, 6);
    expect([1, 3, 5, 7].map((at) => scored[at])).toEqual([0, 0, 0, 0]);
    expect(scored[9]).toBe(10);
  });
});
