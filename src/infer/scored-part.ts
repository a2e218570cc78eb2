// [coordinator] A model on one labelled part of its samples: scores and curves, and what changes when chosen owners are absent.
import type { Engine } from '../core/engine/engine.ts';
import { RandomStream } from '../core/random.ts';
import type { Joined } from '../fuse/join/bundle-join.ts';
import { type FusedModel, predictProbabilities } from '../fuse/model/fused-model.ts';
import type { PredictionGraphs } from '../fuse/model/predict-logits.ts';
import { type Calibration, calibration } from '../fuse/scores/calibration.ts';
import { confusion, predictedClasses } from '../fuse/scores/confusion.ts';
import { type ClassCurves, classCurves } from '../fuse/scores/curves.ts';
import type { DecisionRule } from '../fuse/scores/decision-rule.ts';
import { type Scores, scores } from '../fuse/scores/scores.ts';
import { columnOf } from '../fuse/scores/sorted-by-class.ts';
import { type AbsencePoint, absenceCurve, withoutOwners } from './absent-owners.ts';

type IntervalName = 'accuracy' | 'f1' | 'auc';

export interface PartEvaluation {
  scores: Scores;
  /** 95 % intervals: lowest and highest. */
  intervals: Record<IntervalName, [number, number]>;
  /** [truth][predicted] */
  confusion: number[][];
  /** By class. */
  curves: ClassCurves[];
  calibration: Calibration;
  absence: AbsencePoint[];
}

export interface ChangedSample {
  sample: string;
  /** Number of the predicted class, and its probability. */
  before: [predicted: number, probability: number];
  after: [predicted: number, probability: number];
}

export interface AbsenceEffect {
  base: Scores;
  scores: Scores;
  /** Mean over samples of half the sum of the absolute differences between class probabilities. */
  shift: number;
  /** Samples that are predicted as another class. */
  flips: number;
  /** Those that change most. */
  changed: ChangedSample[];
}

const RESAMPLES = 200;
const [BOOTSTRAP_STREAM, SEED] = [0x626f_6f74, 0];
/** Above so many owners absence is judged with the mean graph instead of sampled ones, for speed. */
const MOST_SAMPLED = 60;

export class ScoredPart {
  readonly #engine: Engine;
  readonly #model: FusedModel;
  readonly #joined: Joined;
  readonly #rows: Uint32Array;
  readonly #labels: Int32Array;
  readonly #classes: number;
  readonly #graphs: PredictionGraphs | undefined;
  readonly #decision: DecisionRule | undefined;
  #base: Float64Array | undefined;

  /** `labels`: [row of `joined`]; the tensors stay the caller's. */
  constructor(engine: Engine, model: FusedModel, joined: Joined, labels: Int32Array) {
    this.#engine = engine;
    this.#model = model;
    this.#joined = joined;
    this.#rows = Uint32Array.from(labels.keys());
    this.#labels = labels;
    this.#classes = model.facts.classes.length;
    this.#decision = model.facts.decision;
    this.#graphs = joined.owners.length > MOST_SAMPLED ? 'mean' : undefined;
  }

  evaluate(): PartEvaluation {
    const [labels, classes] = [this.#labels, this.#classes];
    const probabilities = predictProbabilities(this.#engine, this.#model, this.#joined, this.#rows);
    const predicted = predictedClasses(probabilities, classes, this.#decision);
    return {
      scores: scores(probabilities, labels, classes, this.#decision),
      intervals: this.#intervals(probabilities),
      confusion: confusion(predicted, labels, classes),
      curves: Array.from({ length: classes }, (_, c) =>
        classCurves(
          columnOf(probabilities, c, classes),
          Array.from(labels, (label) => label === c),
        ),
      ),
      calibration: calibration(probabilities, labels, classes),
      absence: absenceCurve(this.#engine, this.#model, this.#joined, this.#rows, labels, {
        repeats: 3,
        graphs: this.#graphs,
      }),
    };
  }

  /** `absent`: numbers of owners, not all of them. */
  without(absent: ReadonlySet<number>, most = 0): AbsenceEffect {
    this.#base ??= this.#predict(new Set());
    const [before, after] = [this.#base, this.#predict(absent)];
    const [labels, classes] = [this.#labels, this.#classes];
    const [was, is] = [
      predictedClasses(before, classes, this.#decision),
      predictedClasses(after, classes, this.#decision),
    ];
    const moves = Float64Array.from(labels, (_, row) => {
      let sum = 0;
      for (let at = row * classes; at < (row + 1) * classes; at++) sum += Math.abs(after[at] - before[at]) / 2;
      return sum;
    });
    const moved = Array.from(this.#rows)
      .filter((row) => moves[row] > 0)
      .sort((a, b) => moves[b] - moves[a])
      .slice(0, most);
    return {
      base: scores(before, labels, classes, this.#decision),
      scores: scores(after, labels, classes, this.#decision),
      shift: moves.reduce((sum, move) => sum + move, 0) / labels.length,
      flips: is.reduce((count, predicted, row) => count + (predicted === was[row] ? 0 : 1), 0),
      changed: moved.map((row) => ({
        sample: this.#joined.samples[row],
        before: [was[row], before[row * classes + was[row]]],
        after: [is[row], after[row * classes + is[row]]],
      })),
    };
  }

  #predict(absent: ReadonlySet<number>): Float64Array {
    const left = withoutOwners(this.#engine, this.#joined, this.#rows, absent);
    try {
      return predictProbabilities(this.#engine, this.#model, left, this.#rows, this.#graphs);
    } finally {
      for (const tensor of [left.embeddings, left.present]) this.#engine.free(tensor);
    }
  }

  /** The bootstrap's percentiles. A resample without one of the classes has no AUC, and is left out of that interval. */
  #intervals(probabilities: Float64Array): Record<IntervalName, [number, number]> {
    const [samples, classes] = [this.#labels.length, this.#classes];
    const found: Record<IntervalName, number[]> = { accuracy: [], f1: [], auc: [] };
    for (let i = 0; i < RESAMPLES; i++) {
      const random = new RandomStream(SEED, BOOTSTRAP_STREAM + i);
      const drawn = Uint32Array.from(this.#rows, () => random.integer(samples));
      const chosen = new Float64Array(probabilities.length);
      drawn.forEach((row, to) => {
        chosen.set(probabilities.subarray(row * classes, (row + 1) * classes), to * classes);
      });
      const scored = scores(
        chosen,
        Int32Array.from(drawn, (row) => this.#labels[row]),
        classes,
        this.#decision,
      );
      for (const name of Object.keys(found) as IntervalName[]) {
        if (Number.isFinite(scored[name])) found[name].push(scored[name]);
      }
    }
    return { accuracy: middle(found.accuracy), f1: middle(found.f1), auc: middle(found.auc) };
  }
}

/** The middle 95 %. */
function middle(values: number[]): [number, number] {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? Number.NaN;
  return [at(0.025), at(0.975)];
}
