// Means over the runs of a row, for tables and figures alike.
import { meanAndDeviation } from '../../core/mean-and-deviation.ts';
import type { Measured } from '../../figures/result.ts';
import type { ScoreRun } from './score-row.ts';

/** The mean of a score over runs, beside the paper's. */
export function measured(
  runs: readonly ScoreRun[],
  score: 'f1' | 'auc' | 'accuracy' | 'prAuc',
  paper?: number,
  paperDeviation?: number,
): Measured {
  return { ...meanOf(runs.map((run) => run.test[score])), paper, paperDeviation };
}

/** A score that is not defined makes the mean undefined too; it is NaN, which JSON keeps as null. */
export const meanOf = (numbers: readonly (number | null)[]) =>
  meanAndDeviation(numbers.map((value) => value ?? Number.NaN));

export const absenceName = (share: number): string => `${Math.round(100 * share)} % absent`;

/** F1 with each of the shares of owners absent; rows without a model have none. */
export function absencePoints(runs: readonly ScoreRun[], shares: readonly number[]): Measured[] {
  const curves = runs.flatMap(({ absence }) => (absence?.length ? [absence] : []));
  return curves.length === 0 ? [] : shares.map((_, i) => meanOf(curves.map((curve) => curve[i].f1)));
}
