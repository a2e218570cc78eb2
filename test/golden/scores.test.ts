// Scores and calibration against scikit-learn's (test/golden/make_scores.py).
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { calibration } from '../../src/fuse/scores/calibration.ts';
import { confusion, predictedClasses, type Scores, scores } from '../../src/fuse/scores/scores.ts';

interface ScoredCase {
  name: string;
  classes: number;
  float32: boolean;
  labels: number[];
  probabilities: number[];
  expected: Record<keyof Scores | 'brier', number | null> & {
    confusion: number[][];
    reliability: Record<'accuracy' | 'confidence', number[]>;
  };
}

const cases: ScoredCase[] = JSON.parse(readFileSync(new URL('scores.json', import.meta.url), 'utf8'));
const EXACT = 1e-12;
const FLOAT32 = 1e-6; // what scikit-learn adds up in float32, f3 adds up in float64

describe.each(cases)('as scikit-learn says, $name:', ({ classes, float32, labels, expected, ...given }) => {
  const probabilities = float32 ? Float32Array.from(given.probabilities) : given.probabilities;
  const inexact = float32 ? FLOAT32 : EXACT;

  it('accuracy, F1, ROC AUC, average precision and log loss', () => {
    const got = scores(probabilities, labels, classes);
    expectNear(got.accuracy, expected.accuracy, EXACT);
    expectNear(got.f1, expected.f1, EXACT);
    expectNear(got.auc, expected.auc, EXACT);
    expectNear(got.prAuc, expected.prAuc, EXACT);
    expectNear(got.loss, expected.loss, inexact);
  });

  it('confusion', () => {
    expect(confusion(predictedClasses(probabilities, classes), labels, classes)).toEqual(expected.confusion);
  });

  it('reliability table, the calibration error that follows from it, and Brier score', () => {
    const { bins, expectedError, brier } = calibration(probabilities, labels, classes);
    const filled = bins.filter(({ count }) => count > 0);
    const { accuracy, confidence } = expected.reliability;
    expect(filled.length).toBe(accuracy.length);
    filled.forEach((bin, i) => {
      expectNear(bin.accuracy, accuracy[i], EXACT);
      expectNear(bin.confidence, confidence[i], EXACT);
    });
    const gaps = filled.map(({ count }, i) => (count / labels.length) * Math.abs(accuracy[i] - confidence[i]));
    expectNear(
      expectedError,
      gaps.reduce((sum, gap) => sum + gap),
      EXACT,
    );
    expectNear(brier, expected.brier, inexact);
  });
});

/** |got − wanted| ≤ tolerance · max(1, |wanted|); null stands for NaN. */
function expectNear(got: number, wanted: number | null, tolerance: number): void {
  if (wanted === null) expect(got).toBeNaN();
  else expect(Math.abs(got - wanted), `${got} for ${wanted}`).toBeLessThanOrEqual(tolerance * Math.max(1, wanted));
}
