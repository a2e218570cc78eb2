// The figures of a table of scores: bars of the scores, the same with owners absent, training curves.
import type { ResultFigure } from '../../figures/result.ts';
import { scoreBars } from '../../figures/score-bars.ts';
import { trainingCurves } from '../../figures/training-curves.ts';
import type { ExpectedScores } from '../experiment-files.ts';
import type { FoundDataset } from '../find-dataset.ts';
import { absenceName, absencePoints, measured } from './score-means.ts';
import type { ScoreRow, ScoreRun } from './score-row.ts';

export interface ScoredRows {
  /** Name of the experiment. */
  name: string;
  rows: readonly ScoreRow[];
  byRow: ReadonlyMap<string, ScoreRun[]>;
  paper: Record<string, ExpectedScores>;
  /** The shares of absent owners at which scores were measured too. */
  absent: readonly number[];
  dataset: Pick<FoundDataset, 'name' | 'simulated'>;
}

export function scoreFigures(scored: ScoredRows): ResultFigure[] {
  const { name, dataset } = scored;
  const where = dataset.simulated ? `${dataset.name} (simulated)` : dataset.name;
  const caption = 'Mean over seeds; whiskers are one standard deviation.';
  const figure = (kind: string, title: string, rest: Omit<ResultFigure, 'name' | 'title'>): ResultFigure => ({
    name: `${name}-${dataset.name}-${kind}`,
    title: `${title} on ${where}`,
    ...rest,
  });
  const barsWithAbsence = absenceBars(scored);
  const curves = curvesOf(scored);
  return [
    figure('scores', 'Scores', { caption, specification: scoreBars(barsOf(scored)) }),
    ...(barsWithAbsence.length > 0
      ? [figure('absence', 'F1 with owners absent', { caption, specification: scoreBars(barsWithAbsence) })]
      : []),
    ...(curves.length > 0
      ? [
          figure('curves', 'Validation loss', {
            caption: 'Thin lines are seeds, bold lines their mean. The weights of the lowest point are kept.',
            specification: trainingCurves(curves, { y: 'validation loss', log: true }),
          }),
        ]
      : []),
  ];
}

/** A letter is the paper's name of a row and is shown; a longer id is for the command line. */
const labelOf = ({ id, name }: ScoreRow): string => (id.length === 1 ? `${id} ${name}` : name);

function barsOf({ rows, byRow, paper }: ScoredRows) {
  return rows.flatMap((row) => {
    const label = labelOf(row);
    const runs = byRow.get(row.id) ?? [];
    const theirs = paper[row.id];
    return [
      { label, score: 'F1', ...measured(runs, 'f1', theirs?.f1, theirs?.f1Deviation) },
      { label, score: 'ROC AUC', ...measured(runs, 'auc', theirs?.auc, theirs?.aucDeviation) },
    ];
  });
}

function absenceBars({ rows, byRow, absent }: ScoredRows) {
  return rows.flatMap((row) =>
    absencePoints(byRow.get(row.id) ?? [], absent).map((point, i) => ({
      label: labelOf(row),
      score: absenceName(absent[i]),
      ...point,
    })),
  );
}

function curvesOf({ rows, byRow }: ScoredRows) {
  return rows.flatMap((row) => {
    const runs = (byRow.get(row.id) ?? []).filter(({ history }) => history.length > 1);
    const seeds = runs.map(({ history }) => history.map(({ validationLoss }) => validationLoss));
    return seeds.length > 0 ? [{ label: labelOf(row), seeds }] : [];
  });
}
