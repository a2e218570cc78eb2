import { describe, expect, it } from 'vitest';
import fc from '../../../test/support/seeded-fast-check.ts';
import { piecewiseLinearCode } from '../../core/reference/encoded-projection.ts';
import { codedBundle, constantNumbers, quantileCodingOf } from './quantile-codes.ts';

const bundleOf = (values: number[][], owner = 'plant') => ({
  owner,
  samples: values.map((_, i) => `s${i}`),
  width: values[0].length,
  embeddings: Float32Array.from(values.flat()),
});

describe('quantile codes of an owner', () => {
  it('are those that a fusion in the clear takes for its bins', () => {
    const row = fc.array(fc.integer({ min: -20, max: 20 }), { minLength: 2, maxLength: 2 });
    fc.assert(
      fc.property(fc.array(row, { minLength: 5, maxLength: 12 }), fc.integer({ min: 2, max: 5 }), (values, bins) => {
        values[0][0] = 21; // a number at least varies
        const bundle = bundleOf(values);
        const coding = quantileCodingOf(bundle, bundle.samples.slice(0, 5), bins);
        const { width, embeddings } = codedBundle(bundle, coding);
        expect(width).toBe(2 * bins);
        values.flat().forEach((value, at) => {
          const first = (at % 2) * (bins + 1);
          const edges = Float64Array.from(coding.edges.slice(first, first + bins + 1));
          const wanted = piecewiseLinearCode(value, edges).map((share) => Math.max(-64, Math.min(64, share)));
          for (let t = 0; t < bins; t++) expect(embeddings[at * bins + t]).toBeCloseTo(wanted[t], 5);
        });
      }),
      { numRuns: 200 },
    );
  });

  it('come from the training part alone, and survive being written down', () => {
    const bundle = bundleOf([[0], [1], [2], [3], [1000]]);
    const coding = quantileCodingOf(bundle, ['s0', 's1', 's2', 's3', 'a sample of others'], 3);
    expect(coding).toEqual({ width: 1, bins: 3, edges: [0, 1, 2, 3] });
    const again = JSON.parse(JSON.stringify(coding));
    expect([...codedBundle(bundle, again).embeddings.slice(-3)]).toEqual([1, 1, 64]);
    expect([...codedBundle(bundleOf([[-5]]), again).embeddings]).toEqual([-5, 0, 0]);
  });

  it('refuse bins, samples and widths that make no sense', () => {
    const bundle = bundleOf([[0], [1]]);
    expect(() => quantileCodingOf(bundle, ['s0'], 1)).toThrow(
      'bins of plant: must be a whole number from 2 to 256, got 1',
    );
    expect(() => quantileCodingOf(bundle, ['x', 's1'], 4)).toThrow(
      'bundle of plant: 4 bins need at least as many samples of the training part, got 1 among 2',
    );
    const coding = quantileCodingOf(bundle, ['s0', 's1'], 2);
    expect(() => codedBundle(bundleOf([[0, 1]]), coding)).toThrow(
      'bundle of plant: must have the 1 numbers of its coding, got 2',
    );
  });

  it('say nothing of a number that never varies, and refuse embeddings of which none does', () => {
    const bundle = bundleOf([
      [7, 0],
      [7, 1],
      [7, 2],
    ]);
    const coding = quantileCodingOf(bundle, bundle.samples, 2);
    expect(constantNumbers(coding)).toEqual([0]);
    const { embeddings } = codedBundle(bundle, coding);
    expect([...embeddings]).toEqual([0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1]);
    expect(() => quantileCodingOf(bundleOf([[7], [7], [7]]), bundle.samples, 2)).toThrow(
      'bundle of plant: quantiles need numbers that vary among samples of the training part, got the same 1 in all 3',
    );
  });
});
