// Shows scores of models side by side: a line per score, a column per model, and the difference if there are two.
import type { ListedModel, ModelScores } from '../../exchange/messages.ts';
import { type TextColumn, tableLines } from '../terminal/table.ts';

export const SCORE_NAMES: Readonly<Record<keyof ModelScores, string>> = {
  accuracy: 'accuracy',
  f1: 'F1',
  auc: 'ROC AUC',
  prAuc: 'PR AUC',
  loss: 'loss',
};

type ScoredModel = Pick<ListedModel, 'version' | 'state' | 'validation' | 'test'>;

interface ScoreRow {
  part: 'validation' | 'test';
  score: keyof ModelScores;
}

const ROWS: ScoreRow[] = (['validation', 'test'] as const).flatMap((part) =>
  (Object.keys(SCORE_NAMES) as (keyof ModelScores)[]).map((score) => ({ part, score })),
);

/** Two models get a column with the second score minus the first. */
export function scoreComparison(models: readonly ScoredModel[]): string[] {
  const scoreOf = (model: ScoredModel, { part, score }: ScoreRow) => model[part]?.[score];
  const columns: TextColumn<ScoreRow>[] = [
    { title: '', cell: ({ part, score }) => `${part} ${SCORE_NAMES[score]}` },
    ...models.map((model) => ({
      title: `model ${model.version}${model.state ? ` (${model.state})` : ''}`,
      cell: (row: ScoreRow) => scoreOf(model, row),
      digits: 4,
    })),
  ];
  if (models.length === 2) {
    const [first, second] = models;
    columns.push({ title: 'difference', cell: (row) => difference(scoreOf(first, row), scoreOf(second, row)) });
  }
  return tableLines(columns, ROWS);
}

function difference(first: number | null | undefined, second: number | null | undefined): string | undefined {
  if (typeof first !== 'number' || typeof second !== 'number') return undefined;
  const change = second - first;
  return `${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(4)}`;
}
