import { describe, expect, it } from 'vitest';
import { binaryScores, rocAuc } from './scores.ts';

describe('binary scores', () => {
  it('are those of scikit-learn on a small case', () => {
    // accuracy_score, f1_score and roc_auc_score of sklearn 1.2 on these numbers
    const probabilities = [0.9, 0.8, 0.3, 0.6, 0.2, 0.55, 0.1, 0.7];
    const labels = [1, 1, 1, 0, 0, 1, 0, 0];
    expect(binaryScores(probabilities, labels)).toEqual({ accuracy: 0.625, f1: 2 / 3, auc: 0.75 });
  });

  it('count a tie between a positive and a negative as half', () => {
    expect(rocAuc([0.5, 0.5, 0.5], [1, 0, 0])).toBe(0.5);
    expect(rocAuc([0.5, 0.5, 0.1], [1, 0, 0])).toBe(0.75);
  });

  it('give F1 0 when nothing is positive and NaN for an AUC of one class', () => {
    const { f1, auc, accuracy } = binaryScores([0.1, 0.2], [0, 0]);
    expect([f1, accuracy]).toEqual([0, 1]);
    expect(auc).toBeNaN();
  });
});
