// What models on pooled readings reach, the ceiling: figures on record in experiments/pooled/expected.json, made by pooled.py there.
import type { Cell, Measured, ResultTable } from '../figures/result.ts';
import { SPLIT_NAMES, type SplitName } from './data-splits.ts';
import { DATASETS, type DatasetName } from './experiment.ts';
import { readRecord } from './experiment-files.ts';
import { DASH } from './report/report-cells.ts';

/** The pooled models, each with how reports name it. */
const POOLED_MODELS = {
  boosting: 'boosted trees on pooled readings',
  lstm: 'an LSTM on pooled readings',
  transformer: 'a transformer on pooled readings',
} as const;
export type PooledModel = keyof typeof POOLED_MODELS;

/** Mean and deviation over seeds of one model on one split. */
interface PooledFigures {
  seeds: number;
  f1: number;
  f1Deviation: number;
  auc: number;
  aucDeviation: number;
}

interface PooledRecord {
  /** Versions of Python and its packages. */
  versions: Record<string, string>;
  datasets: Partial<Record<DatasetName, Partial<Record<SplitName, Partial<Record<PooledModel, PooledFigures>>>>>>;
}

/** A score of a pooled model on record; undefined where it was not measured. */
export function pooledScore(
  dataset: DatasetName,
  split: SplitName,
  model: PooledModel,
  score: 'f1' | 'auc',
): Measured | undefined {
  const found = readRecord<PooledRecord>('pooled').datasets[dataset]?.[split]?.[model];
  if (!found) return undefined;
  // A model that ran once, or draws nothing at random, has no deviation.
  return { mean: found[score], deviation: found.seeds > 1 ? found[`${score}Deviation`] : undefined };
}

/** A table per score of the pooled models × the splits they were measured on; none where none was. */
export function pooledTables(dataset: DatasetName, classes: number): ResultTable[] {
  const { versions, datasets } = readRecord<PooledRecord>('pooled');
  const measured = datasets[dataset] ?? {};
  const splits = SPLIT_NAMES.filter((split) => measured[split]);
  const models = (Object.keys(POOLED_MODELS) as PooledModel[]).filter((model) =>
    splits.some((split) => measured[split]?.[model]),
  );
  if (models.length === 0) return [];
  const made = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const note =
    'Not run by this command: figures on record of experiments/pooled/pooled.py ' +
    `(${made.join(', ')}). A federation cannot do this, since every reading of every owner is in one place.`;
  const scores = [
    ['f1', classes === 2 ? 'F1' : 'macro F1'],
    ['auc', classes === 2 ? 'ROC AUC' : 'ROC AUC (one-vs-one)'],
  ] as const;
  return scores.map(([score, title]) => ({
    title: `${title} of models on pooled readings, the ceiling`,
    columns: ['row', 'model', ...splits],
    rows: models.map((model): Cell[] => [
      `pooled ${model}`,
      POOLED_MODELS[model],
      ...splits.map((split) => pooledScore(dataset, split, model, score) ?? DASH),
    ]),
    note,
  }));
}

/** A table of the pooled models on every data set: F1 and ROC AUC on the fixed split, mean of the random ones, and by time. */
export function pooledSummary(): ResultTable {
  const groups: [string, SplitName[]][] = [
    ['fixed split', ['fixed']],
    ['random splits', SPLIT_NAMES.filter((split) => split.startsWith('random'))],
    ['last fifth by time', ['time']],
  ];
  const cell = (dataset: DatasetName, splits: readonly SplitName[], model: PooledModel): string => {
    const means = (['f1', 'auc'] as const).map((score) => {
      const found = splits.map((split) => pooledScore(dataset, split, model, score)?.mean);
      return found.every((mean) => mean !== undefined)
        ? found.reduce((sum, mean) => sum + mean, 0) / found.length
        : Number.NaN;
    });
    return means.some(Number.isNaN) ? DASH : means.map((mean) => mean.toFixed(3)).join(' / ');
  };
  const rows = (Object.keys(POOLED_MODELS) as PooledModel[]).flatMap((model) =>
    groups.map(([name, splits]): Cell[] => [
      `${POOLED_MODELS[model]}, ${name}`,
      ...DATASETS.map((dataset) => cell(dataset, splits, model)),
    ]),
  );
  const isMeasured = (row: Cell[]) => row.slice(1).some((text) => text !== DASH);
  return { title: '', columns: ['', ...DATASETS], rows: rows.filter(isMeasured) };
}
