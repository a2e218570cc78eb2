// The figures on record in experiments/*/expected.json that the paper has too, each with its verdict and its cause.
import type { Measured } from '../../figures/result.ts';
import { DATASETS, type DatasetName } from '../experiment.ts';
import { type Expected, readConfig, readExpected } from '../experiment-files.ts';
import { isMeasuredByPaper, paperDatasets } from '../paper-datasets.ts';
import { causeOf, type Remarks } from '../remarks.ts';
import { type CellText, cellText, columnsOf } from '../report/report-cells.ts';
import { PAPER_SIGMA } from '../theory/theory-temperature.ts';

export type ScoreTableName = 'table-2' | 'table-3' | 'table-5' | 'beyond' | 'advice' | 'search';
export type Score = 'f1' | 'auc';

/** One figure that ours and the paper's are compared in. */
export interface RecordedFigure {
  /** e.g. `table-2` */
  experiment: string;
  /** Undefined for theory. */
  dataset?: DatasetName;
  /** e.g. `K/f1` */
  key: string;
  /** What it is, in words: `K F³, alignment: F1`. */
  label: string;
  text: CellText;
  /** Why it is not the paper's, where a remark of the config says so. */
  cause?: string | undefined;
}

/** What the summary reads of a config. */
export interface SummarisedConfig {
  title: string;
  rows?: { id: string; name: string }[];
  remarks?: Remarks;
}

/** A score on record, beside the paper's where the paper has one; undefined where the row did not run on this data set. */
export function recordedScore(
  experiment: ScoreTableName,
  dataset: DatasetName,
  row: string,
  score: Score,
): Measured | undefined {
  const { ours, paper } = readExpected(experiment);
  const own = recordedFigure({ ours }, dataset, `${row}/${score}`);
  const theirs = paper[dataset]?.[row];
  if (!own || theirs?.[score] === undefined) return own;
  const paperDeviation = theirs[`${score}Deviation`];
  return { ...own, paper: theirs[score], paperDeviation, otherData: !isMeasuredByPaper(dataset) };
}

/** Our figure under `key` with its deviation; rows that ran once have none, which the file keeps as 0. */
export function recordedFigure(
  { ours }: Pick<Expected, 'ours'>,
  dataset: DatasetName,
  key: string,
): Measured | undefined {
  const { values = {} } = ours[dataset] ?? {};
  if (!(key in values)) return undefined;
  return { mean: values[key] ?? Number.NaN, deviation: values[`${key}Deviation`] || undefined };
}

/** All figures of the paper's tables and theory that ours can be judged by, in the order of the paper. */
export function comparableFigures(): RecordedFigure[] {
  const tables = DATASETS.flatMap((dataset) => [
    ...scoreFigures('table-2', dataset),
    ...scoreFigures('table-3', dataset),
    ...costFigures(dataset),
    ...scoreFigures('table-5', dataset),
  ]);
  return [...tables, theoryFigure()].filter(({ text }) => text.verdict !== 'unjudged');
}

const SCORES = [
  ['f1', 'F1'],
  ['auc', 'ROC AUC'],
] as const;

function scoreFigures(experiment: ScoreTableName, dataset: DatasetName): RecordedFigure[] {
  const { rows = [], remarks = {} } = readConfig<SummarisedConfig>(experiment);
  return SCORES.flatMap(([score, title]) => {
    const found = rows.flatMap((row) => {
      const measured = recordedScore(experiment, dataset, row.id, score);
      return measured ? [{ row, measured }] : [];
    });
    const texts = cellTexts(found.map(({ measured }) => measured));
    return found.map(({ row }, i) => {
      const key = `${row.id}/${score}`;
      const label = `${rowLabel(row)}: ${title}`;
      return { experiment, dataset, key, label, text: texts[i], cause: causeOf(remarks, dataset, key) };
    });
  });
}

/** Ratios of Gumbel softmax over ICDF: seconds and megabytes themselves belong to a machine. */
function costFigures(dataset: DatasetName): RecordedFigure[] {
  const { remarks = {} } = readConfig<SummarisedConfig>('table-4');
  return recordedRatios(dataset).map(({ key, label, measured }) => ({
    experiment: 'table-4',
    dataset,
    key,
    label,
    text: cellTexts([measured])[0],
    cause: causeOf(remarks, dataset, key),
  }));
}

/** Time and memory of Gumbel softmax over those of ICDF, one graph per example, as Table 4 has them. */
export function recordedRatios(dataset: DatasetName): { key: string; label: string; measured: Measured }[] {
  const { gumbel, icdf } = paperDatasets[dataset].cost;
  const expected = readExpected('table-4');
  const ratios = [
    { score: 'seconds', label: 'Gumbel over ICDF: time', paper: gumbel.seconds / icdf.seconds },
    { score: 'peak MB', label: 'Gumbel over ICDF: memory', paper: gumbel.memory / icdf.memory },
  ];
  return ratios.flatMap(({ score, label, paper }) => {
    const key = `Gumbel over ICDF per example/${score}`;
    const own = recordedFigure(expected, dataset, `${dataset} ${key}`);
    return own ? [{ key, label, measured: { ...own, paper, digits: 2 } }] : [];
  });
}

function theoryFigure(): RecordedFigure {
  const { end, sigma } = PAPER_SIGMA;
  const key = `[${end}, ${1 - end}]/σ`;
  // What is about no data set stands on record with the first.
  const own = recordedFigure(readExpected('theory'), DATASETS[0], key);
  const text = cellTexts([{ mean: own?.mean ?? Number.NaN, paper: sigma }])[0];
  return { experiment: 'theory', key, label: `σ for [${end}, ${1 - end}]`, text };
}

/** The cells of one column as a report writes them: the verdict depends on the digits the paper prints in the column. */
function cellTexts(cells: readonly Measured[]): CellText[] {
  const [column] = columnsOf({ title: '', columns: [''], rows: cells.map((cell) => [cell]) });
  return cells.map((cell) => cellText(cell, column));
}

/** Letters are how the paper calls its rows; longer ids are for the command line. */
export const rowLabel = ({ id, name }: { id: string; name: string }): string =>
  id.length === 1 ? `${id} ${name}` : name;
