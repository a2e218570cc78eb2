// How good a model is on labelled samples: scores, confusion, calibration, and what absent owners cost.
import type { Engine } from '../core/engine/engine.ts';
import { scoresOf } from '../fuse/fuse-owners.ts';
import type { FusionInput } from '../fuse/join/fusion-input.ts';
import { type FusedModel, predictProbabilities } from '../fuse/model/fused-model.ts';
import type { PredictionGraphs } from '../fuse/model/predict-logits.ts';
import { type Calibration, calibration } from '../fuse/scores/calibration.ts';
import { confusion, predictedClasses, type Scores } from '../fuse/scores/scores.ts';
import { type AbsenceOptions, type AbsencePoint, absenceCurve } from '../infer/absent-owners.ts';
import type { ReadingOptions } from './read-bundles.ts';

/** Scores of a model on labelled samples. */
export interface Evaluation {
  /** Only where a split says which samples validate. */
  validation?: Scores;
  /** Scores on the test part. */
  test: Scores;
  /** Names of the classes, in the order of `confusion`. */
  classes: string[];
  /** [truth][predicted], test part */
  confusion: number[][];
  /** How far the probabilities can be believed, on the test part. */
  calibration: Calibration;
  /** Scores against the share of owners that are absent, where it was asked for. */
  absence?: AbsencePoint[];
}

/** How to evaluate a model. */
export interface EvaluationOptions extends ReadingOptions {
  /** How many sampled graphs are averaged, or the mean graph. Default: as the model's config says. */
  graphs?: PredictionGraphs | undefined;
  /** Measure what absent owners cost, with these choices. */
  absence?: Omit<AbsenceOptions, 'graphs'> | boolean | undefined;
}

export function evaluateModel(
  engine: Engine,
  model: FusedModel,
  input: FusionInput,
  { graphs, absence, hasSplit }: EvaluationOptions & { hasSplit: boolean },
): Evaluation {
  const { joined, labels, split } = input;
  const classes = labels.classes.length;
  const truth = Int32Array.from(split.test, (row) => labels.labels[row]);
  const probabilities = predictProbabilities(engine, model, joined, split.test, graphs);
  const evaluation: Evaluation = {
    test: scoresOf(engine, model, input, 'test', graphs),
    classes: labels.classes,
    confusion: confusion(predictedClasses(probabilities, classes, model.facts.decision), truth, classes),
    calibration: calibration(probabilities, truth, classes),
  };
  if (hasSplit) evaluation.validation = scoresOf(engine, model, input, 'validation', graphs);
  if (absence) {
    const choices = absence === true ? {} : absence;
    evaluation.absence = absenceCurve(engine, model, joined, split.test, truth, { ...choices, graphs });
  }
  return evaluation;
}
