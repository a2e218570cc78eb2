import { describe, expect, it } from 'vitest';
import { predictions } from '../../../test/support/predictions.ts';
import fc from '../../../test/support/seeded-fast-check.ts';
import { confusion, f1Score, predictedClasses } from './confusion.ts';

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

describe('the predicted class', () => {
  it('is the first of the most probable ones, where a NaN counts as most probable', () => {
    const rows = [0.2, 0.4, 0.4, 0.5, 0.5, 0.5, 0, 0, 1, 0.1, Number.NaN, 0.9, Number.NaN, 1, Number.NaN];
    expect([...predictedClasses(rows, 3)]).toEqual([1, 0, 2, 1, 0]);
  });

  it('needs whole rows', () => {
    expect(() => predictedClasses([0.1, 0.2, 0.3], 2)).toThrow('predictedClasses: must get rows of 2 numbers, got 3');
  });
});

describe('the confusion', () => {
  it('sums to the number of samples, per row to those of the class, on the diagonal to the right ones', () => {
    fc.assert(
      fc.property(predictions(), ({ classes, labels, probabilities }) => {
        const predicted = predictedClasses(probabilities, classes);
        const counts = confusion(predicted, labels, classes);
        expect(sum(counts.flat())).toBe(labels.length);
        expect(counts.map(sum)).toEqual(counts.map((_, c) => labels.filter((label) => label === c).length));
        expect(sum(counts.map((row, c) => row[c]))).toBe(labels.filter((label, i) => label === predicted[i]).length);
      }),
    );
  });

  it('turns over when truth and prediction change places, which leaves F1 as it is', () => {
    fc.assert(
      fc.property(predictions(), ({ classes, labels, probabilities }) => {
        const predicted = predictedClasses(probabilities, classes);
        const counts = confusion(predicted, labels, classes);
        expect(confusion(labels, predicted, classes)).toEqual(counts.map((_, c) => counts.map((row) => row[c])));
        expect(f1Score(labels, predicted, classes)).toBe(f1Score(predicted, labels, classes));
      }),
    );
  });

  it('names a predicted class that is none', () => {
    const message = 'confusion predicted label of row 1: must be a whole number from 0 to 2, got 3';
    expect(() => confusion([0, 3], [0, 1], 3)).toThrow(message);
  });
});

describe('F1', () => {
  it('of two classes is that of class 1, and 0 when nothing is labelled or predicted 1', () => {
    expect(f1Score([1, 1, 0, 0], [1, 0, 1, 0], 2)).toBe(0.5);
    expect(f1Score([0, 0], [0, 0], 2)).toBe(0);
  });

  it('of more leaves out classes nobody labelled or predicted, and counts a class never hit as 0', () => {
    expect(f1Score([0, 1], [0, 1], 5)).toBe(1);
    expect(f1Score([0, 1, 2], [0, 1, 1], 5)).toBe((1 + 2 / 3 + 0) / 3);
  });
});
