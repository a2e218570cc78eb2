// [coordinator] Average precision, the area under the precision-recall curve as a step function: Σ_t (R_t − R_t₋₁)·P_t.
import { expectShape } from '../../core/errors.ts';
import { checkLabels, checkPredictions } from './check-predictions.ts';
import { columnOf, hasNaN, sortedByClass } from './sorted-by-class.ts';

/**
 * `average_precision_score`. scores: [sample], labels: [sample] in {0, 1}. As there, 0 when nothing is labelled 1;
 * NaN when there is no sample or a score is NaN.
 */
export function averagePrecision(scores: ArrayLike<number>, labels: ArrayLike<number>): number {
  checkLabels(labels, 2, 'averagePrecision');
  expectShape('averagePrecision scores', [scores.length], [labels.length]);
  const [negatives, positives] = sortedByClass(scores, labels, 2);
  if (labels.length === 0 || hasNaN(positives) || hasNaN(negatives)) return Number.NaN;
  if (positives.length === 0) return 0;
  // Recall grows only at thresholds that are a positive's score, so only these are visited, highest first.
  let sum = 0;
  let above = 0;
  for (let hits = 0; hits < positives.length; ) {
    const threshold = positives[positives.length - 1 - hits];
    const before = hits;
    while (hits < positives.length && positives[positives.length - 1 - hits] === threshold) hits++;
    while (above < negatives.length && negatives[negatives.length - 1 - above] >= threshold) above++;
    sum += ((hits - before) * hits) / (hits + above);
  }
  return sum / positives.length;
}

/**
 * Mean over classes of the average precision of P(class) for "is this class". A class without samples counts 0.
 * probabilities: [sample, class], labels: [sample]
 */
export function macroAveragePrecision(
  probabilities: ArrayLike<number>,
  labels: ArrayLike<number>,
  classes: number,
): number {
  checkPredictions(probabilities, labels, classes, 'macroAveragePrecision');
  let sum = 0;
  for (let c = 0; c < classes; c++) {
    const isClass = Uint8Array.from(labels, (label) => (label === c ? 1 : 0));
    sum += averagePrecision(columnOf(probabilities, c, classes), isClass);
  }
  return sum / classes;
}
