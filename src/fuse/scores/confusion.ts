// [coordinator] Predicted classes, how often which class was taken for which, and F1.
import { expectArgument, expectShape } from '../../core/errors.ts';
import { checkLabels } from './check-predictions.ts';
import type { DecisionRule } from './decision-rule.ts';

/**
 * The class that `rule` names, without one the most probable: as in numpy the first of equals, a NaN counting as largest.
 * probabilities: [sample, class]
 */
export function predictedClasses(
  probabilities: ArrayLike<number>,
  classes: number,
  rule?: DecisionRule | undefined,
): Int32Array {
  const rows = probabilities.length / classes;
  expectArgument(
    Number.isInteger(rows),
    'predictedClasses',
    `must get rows of ${classes} numbers`,
    probabilities.length,
  );
  const predicted = new Int32Array(rows);
  for (let row = 0; row < rows; row++) {
    const worth = (c: number) => {
      const probability = probabilities[row * classes + c];
      return rule ? rule.gains[c] * probability - rule.costs[c] : probability;
    };
    let best = 0;
    for (let c = 1; c < classes && !Number.isNaN(worth(best)); c++) if (!(worth(c) <= worth(best))) best = c;
    predicted[row] = best;
  }
  return predicted;
}

/** `confusion_matrix`: number of samples per [truth][predicted]. predicted, labels: [sample] */
export function confusion(predicted: ArrayLike<number>, labels: ArrayLike<number>, classes: number): number[][] {
  checkLabels(labels, classes, 'confusion');
  checkLabels(predicted, classes, 'confusion predicted');
  expectShape('confusion predicted', [predicted.length], [labels.length]);
  const counts = Array.from({ length: classes }, () => new Array<number>(classes).fill(0));
  for (let i = 0; i < labels.length; i++) counts[labels[i]][predicted[i]]++;
  return counts;
}

/**
 * `f1_score`, 2·hits / (labelled + predicted). Two classes: of class 1, 0 when nothing is labelled or predicted 1.
 * More: `average='macro'`, the mean over the classes that are labelled or predicted at least once. NaN without samples.
 */
export function f1Score(predicted: ArrayLike<number>, labels: ArrayLike<number>, classes: number): number {
  const counts = confusion(predicted, labels, classes);
  if (labels.length === 0) return Number.NaN;
  const perClass = counts.map((row, c) => {
    const labelled = row.reduce((sum, count) => sum + count, 0);
    const said = counts.reduce((sum, truth) => sum + truth[c], 0);
    return (2 * row[c]) / (labelled + said); // NaN for a class nobody has seen
  });
  if (classes === 2) return Number.isNaN(perClass[1]) ? 0 : perClass[1];
  const seen = perClass.filter((f1) => !Number.isNaN(f1));
  return seen.reduce((sum, f1) => sum + f1, 0) / seen.length;
}
