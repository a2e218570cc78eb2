// [coordinator] How good predictions are: the numbers scikit-learn gives, for two classes and for more.
import { averagePrecision, macroAveragePrecision } from './average-precision.ts';
import { checkPredictions } from './check-predictions.ts';
import { f1Score, predictedClasses } from './confusion.ts';
import type { DecisionRule } from './decision-rule.ts';
import { logLoss } from './log-loss.ts';
import { oneVsOneAuc, rocAuc } from './roc-auc.ts';
import { columnOf } from './sorted-by-class.ts';

export { averagePrecision } from './average-precision.ts';
export { confusion, f1Score, predictedClasses } from './confusion.ts';
export { logLoss } from './log-loss.ts';
export { rocAuc } from './roc-auc.ts';

/** How good predictions are. */
export interface Scores {
  /** Share of samples whose named class is their label. */
  accuracy: number;
  /** Two classes: F1 of class 1. More: macro F1 over the classes labelled or predicted at least once. */
  f1: number;
  /** Two classes: ROC AUC of P(class 1). More: one-vs-one macro AUC. NaN when a class has no sample. */
  auc: number;
  /** Two classes: average precision of P(class 1). More: mean over classes, one against the rest. */
  prAuc: number;
  /** Mean negative log-likelihood in nats, clipped as `logLoss` says. */
  loss: number;
}

/**
 * probabilities: [sample, class], labels: [sample] in 0 … classes − 1. `rule` names the classes, see `predictedClasses`. All NaN
 * without samples.
 */
export function scores(
  probabilities: ArrayLike<number>,
  labels: ArrayLike<number>,
  classes: number,
  rule?: DecisionRule | undefined,
): Scores {
  return scoresOfDecisions(probabilities, predictedClasses(probabilities, classes, rule), labels, classes);
}

/** The same where the classes were named already. predicted: [sample] */
export function scoresOfDecisions(
  probabilities: ArrayLike<number>,
  predicted: Int32Array,
  labels: ArrayLike<number>,
  classes: number,
): Scores {
  checkPredictions(probabilities, labels, classes, 'scores');
  const right = predicted.reduce((sum, says, i) => sum + (says === labels[i] ? 1 : 0), 0);
  return {
    accuracy: right / labels.length,
    f1: f1Score(predicted, labels, classes),
    ...rankingScores(probabilities, labels, classes),
    loss: logLoss(probabilities, labels, classes),
  };
}

function rankingScores(
  probabilities: ArrayLike<number>,
  labels: ArrayLike<number>,
  classes: number,
): Pick<Scores, 'auc' | 'prAuc'> {
  if (classes > 2) {
    const auc = oneVsOneAuc(probabilities, labels, classes);
    return { auc, prAuc: macroAveragePrecision(probabilities, labels, classes) };
  }
  const ofClass1 = columnOf(probabilities, 1, 2);
  return { auc: rocAuc(ofClass1, labels), prAuc: averagePrecision(ofClass1, labels) };
}

/** `scores` of two classes from the probabilities of class 1. probabilities: [sample], labels: [sample] in {0, 1} */
export function binaryScores(
  probabilities: ArrayLike<number>,
  labels: ArrayLike<number>,
): Pick<Scores, 'accuracy' | 'f1' | 'auc'> {
  const both = new Float64Array(2 * probabilities.length);
  for (let i = 0; i < probabilities.length; i++) both.set([1 - probabilities[i], probabilities[i]], 2 * i);
  const { accuracy, f1, auc } = scores(both, labels, 2);
  return { accuracy, f1, auc };
}
