import { describe, expect, it } from 'vitest';
import { predictions } from '../../../test/support/predictions.ts';
import fc from '../../../test/support/seeded-fast-check.ts';
import { oneVsOneAuc, rocAuc } from './roc-auc.ts';

const ofTwo = predictions(2).map(({ labels, probabilities }) => ({
  labels,
  scores: probabilities.slice(0, labels.length),
}));

describe('the area under the ROC curve', () => {
  it('is the share of pairs of a positive and a negative that are in order, ties counting half', () => {
    fc.assert(
      fc.property(ofTwo, ({ labels, scores }) => {
        const of = (label: number) => scores.filter((_, i) => labels[i] === label);
        const wins = of(1).flatMap((high) => of(0).map((low) => (high > low ? 1 : high === low ? 0.5 : 0)));
        expect(rocAuc(scores, labels)).toBe(wins.reduce<number>((sum, win) => sum + win, 0) / wins.length);
      }),
    );
  });

  it('stays the same bits under any increasing map of the scores', () => {
    fc.assert(
      fc.property(ofTwo, ({ labels, scores }) => {
        const auc = rocAuc(scores, labels);
        for (const map of [Math.exp, Math.log, (x: number) => 3 * x - 7, (x: number) => x ** 3]) {
          expect(rocAuc(scores.map(map), labels)).toBe(auc);
        }
      }),
    );
  });

  it('turns to one minus itself when the labels are exchanged or the scores negated', () => {
    fc.assert(
      fc.property(ofTwo, ({ labels, scores }) => {
        fc.pre(new Set(labels).size === 2);
        const auc = rocAuc(scores, labels);
        const exchanged = labels.map((label) => 1 - label);
        const negated = scores.map((score) => -score);
        expect(rocAuc(scores, exchanged)).toBeCloseTo(1 - auc, 14);
        expect(rocAuc(negated, labels)).toBeCloseTo(1 - auc, 14);
        expect(rocAuc(negated, exchanged)).toBe(auc);
      }),
    );
  });

  it('is NaN when a class has no sample or a score is NaN', () => {
    expect(rocAuc([0.1, 0.2], [0, 0])).toBeNaN();
    expect(rocAuc([0.1, 0.2], [1, 1])).toBeNaN();
    expect(rocAuc([0.1, Number.NaN, 0.3], [0, 1, 1])).toBeNaN();
    expect(oneVsOneAuc([0.5, 0.3, 0.2, 0.1, 0.8, 0.1], [0, 1], 3)).toBeNaN();
  });

  it('takes −0 and 0 for a tie', () => {
    expect(rocAuc([-0, 0], [0, 1])).toBe(0.5);
  });

  it('one-vs-one of two classes with complementary probabilities is that of class 1', () => {
    fc.assert(
      fc.property(ofTwo, ({ labels, scores }) => {
        const both = scores.flatMap((score) => [1 - score, score]);
        const [got, wanted] = [oneVsOneAuc(both, labels, 2), rocAuc(scores, labels)];
        if (Number.isNaN(wanted)) expect(got).toBeNaN();
        else expect(got).toBeCloseTo(wanted, 14);
      }),
    );
  });

  it('asks for one score per label, and for labels 0 and 1', () => {
    expect(() => rocAuc([0.1], [0, 1])).toThrow('rocAuc scores: shape must be [2], got [1]');
    expect(() => rocAuc([0.1], [-1])).toThrow('rocAuc label of row 0: must be a whole number from 0 to 1, got -1');
  });
});
