// [coordinator] Area under the ROC curve: the chance that a positive outranks a negative, ties counting half.
import { expectShape } from '../../core/errors.ts';
import { checkLabels, checkPredictions } from './check-predictions.ts';
import { columnOf, hasNaN, sortedByClass } from './sorted-by-class.ts';

/** `roc_auc_score`. scores: [sample], labels: [sample] in {0, 1}; NaN when a class is empty or a score is NaN. */
export function rocAuc(scores: ArrayLike<number>, labels: ArrayLike<number>): number {
  checkLabels(labels, 2, 'rocAuc');
  expectShape('rocAuc scores', [scores.length], [labels.length]);
  const [negatives, positives] = sortedByClass(scores, labels, 2);
  return shareOfWins(positives, negatives);
}

/**
 * `roc_auc_score(multi_class='ovo', average='macro')` (Hand & Till 2001): for each ordered pair of classes (a, b),
 * how well P(a) tells a's samples from b's; the mean over the pairs. NaN when a class has no sample.
 * probabilities: [sample, class] as given (rows need not sum to 1), labels: [sample]
 */
export function oneVsOneAuc(probabilities: ArrayLike<number>, labels: ArrayLike<number>, classes: number): number {
  checkPredictions(probabilities, labels, classes, 'oneVsOneAuc');
  let sum = 0;
  for (let a = 0; a < classes; a++) {
    const sorted = sortedByClass(columnOf(probabilities, a, classes), labels, classes);
    for (let b = 0; b < classes; b++) {
      if (b !== a) sum += shareOfWins(sorted[a], sorted[b]);
    }
  }
  return sum / (classes * (classes - 1));
}

/** Both ascending. Half wins are counted in whole numbers, so only the division rounds. */
function shareOfWins(positives: Float64Array, negatives: Float64Array): number {
  if (hasNaN(positives) || hasNaN(negatives)) return Number.NaN;
  let halfWins = 0;
  let below = 0;
  let upTo = 0;
  for (const score of positives) {
    while (below < negatives.length && negatives[below] < score) below++;
    while (upTo < negatives.length && negatives[upTo] <= score) upTo++;
    halfWins += below + upTo;
  }
  return halfWins / (2 * positives.length * negatives.length);
}
