import { describe, expect, it } from 'vitest';
import { predictions } from '../../../test/support/predictions.ts';
import fc from '../../../test/support/seeded-fast-check.ts';
import { averagePrecision, macroAveragePrecision } from './average-precision.ts';

describe('average precision', () => {
  it('is the sum over thresholds of precision times the gain in recall', () => {
    fc.assert(
      fc.property(predictions(2), ({ labels, probabilities }) => {
        fc.pre(labels.includes(1));
        const scores = probabilities.slice(0, labels.length);
        const positives = labels.filter((label) => label === 1).length;
        let recall = 0;
        let wanted = 0;
        for (const threshold of [...new Set(scores)].sort((a, b) => b - a)) {
          const found = labels.filter((_, i) => scores[i] >= threshold);
          const hits = found.filter((label) => label === 1).length;
          wanted += (hits / positives - recall) * (hits / found.length);
          recall = hits / positives;
        }
        expect(averagePrecision(scores, labels)).toBeCloseTo(wanted, 12);
      }),
    );
  });

  it('is the share of positives when all scores are equal, 1 when every positive outranks every negative', () => {
    expect(averagePrecision([0.3, 0.3, 0.3, 0.3], [1, 0, 0, 0])).toBe(0.25);
    expect(averagePrecision([0.9, 0.8, 0.2, 0.1], [1, 1, 0, 0])).toBe(1);
  });

  it('is 0 when nothing is positive, in the mean over classes too, and NaN without samples or of a NaN', () => {
    expect(averagePrecision([0.3, 0.6], [0, 0])).toBe(0);
    expect(macroAveragePrecision([0.7, 0.2, 0.1, 0.1, 0.8, 0.1], [0, 1], 3)).toBe(2 / 3);
    expect(averagePrecision([], [])).toBeNaN();
    expect(averagePrecision([0.3, Number.NaN], [0, 1])).toBeNaN();
  });
});
