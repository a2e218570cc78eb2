import { describe, expect, it } from 'vitest';
import { predictions } from '../../../test/support/predictions.ts';
import fc from '../../../test/support/seeded-fast-check.ts';
import { calibration } from './calibration.ts';
import { scores } from './scores.ts';

const twice = (p: number, times: number) => Array.from({ length: times }, () => [1 - p, p]).flat();

describe('calibration', () => {
  it('has no error when confidence p is right in a share p of cases', () => {
    const labels = [1, 1, 1, 0, 1, 0];
    const { expectedError, bins } = calibration([...twice(0.75, 4), ...twice(0.5, 2)], labels, 2);
    expect(expectedError).toBe(0);
    expect(bins[7]).toEqual({ from: 0.7000000000000001, to: 0.8, count: 4, confidence: 0.75, accuracy: 0.75 });
  });

  it('has the error 1 when everything is sure and wrong', () => {
    expect(calibration(twice(1, 5), [0, 0, 0, 0, 0], 2)).toMatchObject({ expectedError: 1, brier: 1 });
    expect(calibration([1, 0, 0], [2], 3)).toMatchObject({ expectedError: 1, brier: 2 });
  });

  it('spreads every sample over the bins; their accuracies average to the accuracy', () => {
    fc.assert(
      fc.property(predictions(), fc.integer({ min: 1, max: 20 }), ({ classes, labels, probabilities }, parts) => {
        const { bins, expectedError } = calibration(probabilities, labels, classes, parts);
        const filled = bins.filter(({ count }) => count > 0);
        const { accuracy } = scores(probabilities, labels, classes);
        expect(bins.length).toBe(parts);
        expect(bins.reduce((sum, bin) => sum + bin.count, 0)).toBe(labels.length);
        const right = filled.reduce((sum, bin) => sum + bin.count * bin.accuracy, 0);
        expect(right / labels.length).toBeCloseTo(accuracy, 12);
        for (const { from, to, confidence } of filled) {
          expect(confidence).toBeGreaterThanOrEqual(from);
          expect(confidence).toBeLessThanOrEqual(to);
        }
        expect(expectedError).toBeGreaterThanOrEqual(0);
        expect(expectedError).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('is NaN without samples', () => {
    expect(calibration([], [], 2, 3)).toMatchObject({ expectedError: Number.NaN, brier: Number.NaN });
  });

  it('asks for a bin', () => {
    expect(() => calibration([1, 0], [0], 2, 0)).toThrow('calibration bins: must be a whole number from 1, got 0');
  });
});
