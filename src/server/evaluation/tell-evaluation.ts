// [coordinator] What a reader is told of a model's numbers on the validation part: everything, or as much as the label holder's
// rules allow. Numbers that depend on no label are told to all.
import type { ModelAlignment } from '../../exchange/messages/alignments.ts';
import { MOST_ALIGNMENT_SIDE } from '../../exchange/messages/alignments.ts';
import type { ModelEvaluation, PartScores, Told } from '../../exchange/messages/evaluation.ts';
import type { WhatIf } from '../../exchange/messages/what-if.ts';
import type { FusedCard } from '../../fuse/model/fused-card.ts';
import { atPlaces, type PlanePoint } from '../../fuse/scores/curves.ts';
import type { AbsenceEffect, PartEvaluation } from '../../infer/scored-part.ts';
import { roundCount } from '../training/disclosure.ts';
import type { ChosenPart } from './evaluation-data.ts';
import type { StoredAlignment } from './evaluation-worker.ts';

/** How a reader is told numbers. */
export interface Telling {
  told: Told;
  /** A score, an interval's end or a share. */
  score(value: number): number | null;
  /** A number of samples that labels have a part in. */
  count(value: number): number;
}

/** Curves of readers who are not told everything have points at these places only. */
const PLACES = Array.from({ length: 11 }, (_, i) => i / 10);
/** Shares among fewer samples are not told. */
const FEWEST_IN_BIN = 10;

/** `samples`: how many numbers are told of; null: nothing is told. */
export function tellingOf(isExact: boolean, samples: number | null): Telling {
  const finite = (value: number) => (Number.isFinite(value) ? value : null);
  if (isExact) {
    return { told: { exact: true, step: null, withheld: false }, score: finite, count: (value) => value };
  }
  if (samples === null) {
    return { told: { exact: false, step: null, withheld: true }, score: () => null, count: roundCount };
  }
  const step = coarseStep(samples);
  return {
    told: { exact: false, step, withheld: false },
    score: (value) => (Number.isFinite(value) ? Number((Math.round(value / step) * step).toPrecision(6)) : null),
    count: roundCount,
  };
}

/**
 * The step to which answers are rounded: 1, 2 or 5 times a power of ten, not above the standard error of a share, 0.5/√n. Whoever
 * asks chooses the question here, as often as it likes, so answers are coarser than the scores of a training.
 */
export function coarseStep(samples: number): number {
  const error = 0.5 / Math.sqrt(Math.max(1, samples));
  const power = 10 ** Math.floor(Math.log10(error) + 1e-9);
  const digit = [5, 2, 1].find((each) => each * power <= error + 1e-12) ?? 1;
  return Number((digit * power).toPrecision(3));
}

const toldScores = (scores: AbsenceEffect['scores'], { score }: Telling): PartScores => ({
  accuracy: score(scores.accuracy),
  f1: score(scores.f1),
  auc: score(scores.auc),
  prAuc: score(scores.prAuc),
  loss: score(scores.loss),
});

/** How many samples there are, as the reader may know it. */
const partSize = ({ samples, of }: ChosenPart, { told, count }: Telling) =>
  told.exact ? { samples: samples.length, of } : { samples: count(samples.length), of: count(of) };

export function tellEvaluation(
  evaluation: PartEvaluation,
  { version, card, part }: { version: number; card: FusedCard; part: ChosenPart },
  telling: Telling,
): ModelEvaluation {
  const { told, score, count } = telling;
  const interval = ([low, high]: [number, number]): [number, number] | null => {
    const [from, to] = [score(low), score(high)];
    return from === null || to === null ? null : [from, to];
  };
  const { intervals } = evaluation;
  return {
    model: version,
    part: 'validation',
    ...partSize(part, telling),
    classes: card.classes,
    owners: card.owners.map(({ owner }) => owner),
    told,
    scores: toldScores(evaluation.scores, telling),
    intervals: { accuracy: interval(intervals.accuracy), f1: interval(intervals.f1), auc: interval(intervals.auc) },
    confusion: told.withheld ? null : evaluation.confusion.map((row) => row.map(count)),
    curves: told.withheld ? null : toldCurves(evaluation, card, telling),
    calibration: told.withheld ? null : toldCalibration(evaluation, telling),
    absence: told.withheld
      ? null
      : evaluation.absence.map((point) => ({
          absent: point.absent,
          f1: score(point.f1),
          f1Deviation: score(point.f1Deviation),
          auc: score(point.auc),
          aucDeviation: score(point.aucDeviation),
        })),
  };
}

function toldCurves({ curves }: PartEvaluation, { classes }: FusedCard, { told, score }: Telling) {
  const shown = (points: PlanePoint[], course: 'rising' | 'falling'): PlanePoint[] =>
    told.exact || points.length === 0 ? points : atPlaces(points, PLACES, course).map(([x, y]) => [x, score(y) ?? 0]);
  return curves.map(({ roc, pr }, c) => ({ class: classes[c], roc: shown(roc, 'rising'), pr: shown(pr, 'falling') }));
}

/** How many samples have which confidence depends on no label; how many of them are right does. */
function toldCalibration({ calibration: { bins, expectedError } }: PartEvaluation, { told, score, count }: Telling) {
  return {
    error: score(expectedError),
    bins: bins.map(({ from, to, count: samples, confidence, accuracy }) => ({
      from,
      to,
      samples: count(samples),
      confidence: Number.isFinite(confidence) ? Number(confidence.toFixed(told.exact ? 6 : 2)) : null,
      accuracy: told.exact || samples >= FEWEST_IN_BIN ? score(accuracy) : null,
    })),
  };
}

export function tellWhatIf(
  effect: AbsenceEffect,
  { version, card, part, absent }: { version: number; card: FusedCard; part: ChosenPart; absent: string[] },
  telling: Telling,
): WhatIf {
  const { told, count } = telling;
  const digits = told.exact ? 6 : 2;
  const shown = ([predicted, probability]: [number, number]) => ({
    class: card.classes[predicted],
    probability: Number(probability.toFixed(digits)),
  });
  return {
    model: version,
    absent,
    ...partSize(part, telling),
    classes: card.classes,
    told,
    base: toldScores(effect.base, telling),
    scores: toldScores(effect.scores, telling),
    shift: Number(effect.shift.toPrecision(4)),
    flips: told.exact ? effect.flips : count(effect.flips),
    // Without ids, and with probabilities that many samples share, answers to different questions cannot be put together by sample.
    changed: effect.changed.map(({ sample, before, after }, i) => ({
      sample: told.exact ? sample : `#${i + 1}`,
      before: shown(before),
      after: shown(after),
    })),
  };
}

/** Large matrices are averaged in blocks: no screen shows more, and no answer should have a million numbers. */
export function tellAlignment(
  stored: StoredAlignment,
  { version, owner }: { version: number; owner: string },
): ModelAlignment {
  const { kind, rows, columns, values } = stored;
  const [down, across] = [Math.ceil(rows / MOST_ALIGNMENT_SIDE), Math.ceil(columns / MOST_ALIGNMENT_SIDE)];
  const averaged = kind !== 'none' && (down > 1 || across > 1);
  const [shownRows, shownColumns] = [Math.ceil(rows / down), Math.ceil(columns / across)];
  const mean = (row: number, column: number): number => {
    let [sum, cells] = [0, 0];
    for (let r = row * down; r < Math.min(rows, (row + 1) * down); r++) {
      for (let c = column * across; c < Math.min(columns, (column + 1) * across); c++) {
        sum += values[r * columns + c];
        cells++;
      }
    }
    return Number((sum / cells).toPrecision(5));
  };
  const shown = Array.from({ length: shownRows }, (_, row) =>
    Array.from({ length: shownColumns }, (_, column) => mean(row, column)),
  ).flat();
  return {
    model: version,
    owner,
    kind,
    rows: kind === 'none' ? rows : shownRows,
    columns: kind === 'none' ? columns : shownColumns,
    values: kind === 'none' ? [] : shown,
    permutation: kind === 'hard' ? largestColumns(stored) : null,
    averaged,
  };
}

const largestColumns = ({ rows, columns, values }: StoredAlignment): number[] =>
  Array.from({ length: rows }, (_, row) => {
    const own = values.subarray(row * columns, (row + 1) * columns);
    return own.indexOf(own.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY));
  });
