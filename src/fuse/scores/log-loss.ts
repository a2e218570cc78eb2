// [coordinator] Mean negative log-likelihood of the labels, −(1/n)·Σ ln p(label), in nats.
import { checkPredictions } from './check-predictions.ts';

/**
 * `log_loss` of scikit-learn 1.2, clipping included: probabilities are kept within [ε, 1 − ε] and each row is then
 * divided by its sum. ε is the spacing of the given numbers at 1: 2⁻²³ for a Float32Array, 2⁻⁵² otherwise.
 * NaN without samples.
 * probabilities: [sample, class], labels: [sample]
 */
export function logLoss(probabilities: ArrayLike<number>, labels: ArrayLike<number>, classes: number): number {
  checkPredictions(probabilities, labels, classes, 'logLoss');
  const epsilon = probabilities instanceof Float32Array ? 2 ** -23 : 2 ** -52;
  const clipped = (i: number) => Math.min(Math.max(probabilities[i], epsilon), 1 - epsilon);
  let sum = 0;
  for (let row = 0; row < labels.length; row++) {
    let total = 0;
    for (let c = 0; c < classes; c++) total += clipped(row * classes + c);
    sum -= Math.log(clipped(row * classes + labels[row]) / total);
  }
  return sum / labels.length;
}
