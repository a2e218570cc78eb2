// [coordinator] Calibration: whether predictions made with confidence p are right in a share p of cases.
import { expectArgument } from '../../core/errors.ts';
import { checkPredictions } from './check-predictions.ts';
import { predictedClasses } from './confusion.ts';

/** Predictions of about the same confidence, and how often they are right. */
export interface CalibrationBin {
  /** The bin holds confidences in (from, to], the first one 0 as well. */
  from: number;
  to: number;
  /** Number of samples in the bin. */
  count: number;
  /** Mean probability of the predicted class; NaN in an empty bin. */
  confidence: number;
  /** Share of right predictions; NaN in an empty bin. */
  accuracy: number;
}

/** How far the probabilities of a model can be believed. */
export interface Calibration {
  /** Reliability table, every bin of equal width from 0 to 1, empty ones included. */
  bins: CalibrationBin[];
  /** Expected calibration error: mean over samples of their bin's |confidence − accuracy|. */
  expectedError: number;
  /**
   * Two classes: mean (P(class 1) − label)², from 0 to 1 (`brier_score_loss`). More: mean of Σ_c (P(c) − [label = c])²,
   * from 0 to 2, which for two classes would be twice the former.
   */
  brier: number;
}

/** probabilities: [sample, class], labels: [sample] in 0 … classes − 1. Errors are NaN without samples. */
export function calibration(
  probabilities: ArrayLike<number>,
  labels: ArrayLike<number>,
  classes: number,
  bins = 10,
): Calibration {
  checkPredictions(probabilities, labels, classes, 'calibration');
  expectArgument(Number.isInteger(bins) && bins >= 1, 'calibration bins', 'must be a whole number from 1', bins);
  const table = reliability(probabilities, labels, classes, bins);
  const gaps = table.filter(({ count }) => count > 0).map((bin) => bin.count * Math.abs(bin.confidence - bin.accuracy));
  const expectedError = gaps.reduce((sum, gap) => sum + gap, 0) / labels.length;
  return { bins: table, expectedError, brier: brierScore(probabilities, labels, classes) };
}

function reliability(
  probabilities: ArrayLike<number>,
  labels: ArrayLike<number>,
  classes: number,
  bins: number,
): CalibrationBin[] {
  const counts = new Int32Array(bins);
  const confidences = new Float64Array(bins);
  const right = new Int32Array(bins);
  // As numpy.linspace rounds them, so that a confidence on an edge falls to the side it does in calibration_curve.
  const edges = Float64Array.from({ length: bins + 1 }, (_, i) => (i === bins ? 1 : i * (1 / bins)));
  predictedClasses(probabilities, classes).forEach((predicted, row) => {
    const confidence = probabilities[row * classes + predicted];
    let bin = 0;
    while (bin < bins - 1 && confidence > edges[bin + 1]) bin++;
    counts[bin]++;
    confidences[bin] += confidence;
    if (predicted === labels[row]) right[bin]++;
  });
  return Array.from(counts, (count, bin) => ({
    from: edges[bin],
    to: edges[bin + 1],
    count,
    confidence: confidences[bin] / count,
    accuracy: right[bin] / count,
  }));
}

function brierScore(probabilities: ArrayLike<number>, labels: ArrayLike<number>, classes: number): number {
  let sum = 0;
  for (let row = 0; row < labels.length; row++) {
    for (let c = classes === 2 ? 1 : 0; c < classes; c++) {
      sum += (probabilities[row * classes + c] - (labels[row] === c ? 1 : 0)) ** 2;
    }
  }
  return sum / labels.length;
}
