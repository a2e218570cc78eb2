// Tables of scores (2, 3, 5 and beyond the paper): rows × seeds, ours beside the paper's, figures, what was sent.
import { meanAndDeviation } from '../../core/mean-and-deviation.ts';
import { openDataset } from '../../data/dataset/dataset.ts';
import { F3Error } from '../../errors.ts';
import type { Measured, ResultTable } from '../../figures/result.ts';
import { fusionPresets } from '../../fuse/fusion-config.ts';
import { consensusMap } from '../consensus-map.ts';
import type { DatasetName, ExperimentContext, ExperimentResult } from '../experiment.ts';
import { type ExpectedScores, readConfig, readExpected } from '../experiment-files.ts';
import { findDataset } from '../find-dataset.ts';
import { ownerVariants } from '../owner-variants.ts';
import { pooledTables } from '../pooled-figures.ts';
import { type Remarks, remarksOn } from '../remarks.ts';
import { scoreFigures } from './score-figures.ts';
import { absenceName, absencePoints, meanOf, measured } from './score-means.ts';
import type { ScoreRow, ScoreRun } from './score-row.ts';
import { scoreRows } from './score-rows.ts';

interface ScoreConfig {
  title: string;
  summary: string;
  rows: ScoreRow[];
  /** Shares of absent owners at which to measure too. */
  absent?: number[];
  /** Whether figures on record of models on pooled readings are shown beside the rows. */
  ceiling?: boolean;
  /** The row whose consensus graph is drawn on the map, where positions are known. */
  mapped?: string;
  /** What we make of the figures; the figures themselves stand in the table. */
  remarks?: Remarks;
}

export interface ScoreTableOptions {
  name: string;
  dataset: DatasetName;
  /** Ids of the rows wanted; all by default. */
  rows?: readonly string[] | undefined;
}

export async function scoreTable(context: ExperimentContext, options: ScoreTableOptions): Promise<ExperimentResult> {
  const { name, dataset: datasetName } = options;
  const config = readConfig<ScoreConfig>(name);
  const wanted = chooseRows(config.rows, options.rows, name);
  const dataset = await findDataset(datasetName, context);
  const { graph, classes: classNames } = await openDataset(dataset.dir);
  const classes = classNames.length;
  const possible = wanted.filter(({ fusion }) => {
    if (fusion.method === 'threshold') return classes === 2;
    return fusion.graph !== 'given' || graph !== undefined;
  });
  const leftOut = leftOutRemarks(wanted, possible);
  if (possible.length === 0) {
    const message = `rows: at least one must run on ${datasetName}, got none. ${leftOut.join(' ')}`;
    throw new F3Error('F3_OPTION', message, { remedy: 'rows' });
  }
  const { paper: papers, ours } = readExpected(name);
  const paper = papers[datasetName] ?? {};
  const { absent = [] } = config;
  const runs = await scoreRows(dataset, possible, context, { absent, rowSeconds: ours[datasetName]?.rowSeconds });
  const byRow = Map.groupBy(runs, ({ row }) => row);
  const seeds = Math.max(...[...byRow.values()].map((list) => list.length));
  // Our remarks are about the published data; of another data set they may be untrue.
  const ownRemarks = dataset.isGenuine ? remarksOn(config.remarks ?? {}, datasetName, (row) => byRow.has(row)) : [];
  const selected = options.rows ? ` --rows ${options.rows.join(',')}` : '';
  return {
    name,
    title: config.title,
    dataset: datasetName,
    simulated: dataset.simulated,
    seeds,
    command: `f3 reproduce ${name} --dataset ${datasetName}${selected} --seeds ${context.seeds}`,
    seconds: workSeconds(possible, byRow),
    summary: config.summary,
    tables: [
      scoresTable(possible, byRow, paper, { classes, otherData: !dataset.isPaperData }),
      ...absenceTables(possible, byRow, config.absent, classes),
      ...(config.ceiling && dataset.isGenuine ? pooledTables(datasetName, classes) : []),
      workTable(possible, byRow),
    ],
    figures: [
      ...scoreFigures({ name, rows: possible, byRow, paper, absent, dataset }),
      ...(await consensusMap(name, config.mapped, byRow, dataset)),
    ],
    remarks: [...dataset.remarks, ...leftOut, ...ownRemarks],
    configuration: { presets: presetsOf(possible), owners: variantsOf(possible), rows: possible },
    isRecordable: dataset.isGenuine,
    values: values(byRow, absent),
    rowSeconds: rowSeconds(byRow),
  };
}

/** Throws unless the experiment has all of these rows. */
export function requireRows(name: string, ids: readonly string[]): void {
  chooseRows(readConfig<ScoreConfig>(name).rows, ids, name);
}

function chooseRows(rows: readonly ScoreRow[], ids: readonly string[] | undefined, name: string): ScoreRow[] {
  const stranger = ids?.find((id) => !rows.some((row) => row.id === id));
  if (stranger !== undefined) {
    const known = rows.map(({ id }) => id).join(', ');
    throw new F3Error('F3_OPTION', `rows: must be among ${known} in ${name}, got ${stranger}`, { remedy: 'rows' });
  }
  return rows.filter(({ id }) => !ids || ids.includes(id));
}

/** Says of each row that cannot run on the data set why not. */
const leftOutRemarks = (wanted: readonly ScoreRow[], possible: readonly ScoreRow[]): string[] =>
  wanted
    .filter((row) => !possible.includes(row))
    .map(({ id, name, fusion }) => {
      const why = fusion.method === 'threshold' ? 'it is for two classes' : 'the data set has no given graph';
      return `${id} (${name}) was left out: ${why}.`;
    });

function scoresTable(
  rows: readonly ScoreRow[],
  byRow: ReadonlyMap<string, ScoreRun[]>,
  paper: Record<string, ExpectedScores>,
  { classes, otherData }: { classes: number; otherData: boolean },
): ResultTable {
  const f1 = classes === 2 ? 'F1' : 'macro F1';
  const auc = classes === 2 ? 'ROC AUC' : 'ROC AUC (one-vs-one)';
  return {
    title: 'Scores on the test part',
    columns: ['row', 'model', f1, auc, 'accuracy', 'PR AUC'],
    rows: rows.map(({ id, name }) => {
      const runs = byRow.get(id) ?? [];
      const expected = paper[id];
      return [
        id,
        name,
        { ...measured(runs, 'f1', expected?.f1, expected?.f1Deviation), otherData },
        { ...measured(runs, 'auc', expected?.auc, expected?.aucDeviation), otherData },
        measured(runs, 'accuracy'),
        measured(runs, 'prAuc'),
      ];
    }),
  };
}

function absenceTables(
  rows: readonly ScoreRow[],
  byRow: ReadonlyMap<string, ScoreRun[]>,
  shares: readonly number[] = [],
  classes: number,
): ResultTable[] {
  if (shares.length === 0) return [];
  const score = classes === 2 ? 'F1' : 'macro F1';
  return [
    {
      title: `${score} when owners are absent`,
      columns: ['row', 'model', ...shares.map(absenceName)],
      rows: rows.flatMap(({ id, name }) => {
        const points = absencePoints(byRow.get(id) ?? [], shares);
        return points.length > 0 ? [[id, name, ...points]] : [];
      }),
      note: 'The same owners are missing from every sample of the test part; mean over random choices of them and seeds.',
    },
  ];
}

/** The seconds of training owners and rows, added up. What an earlier command had finished counts as long as it took then. */
function workSeconds(rows: readonly ScoreRow[], byRow: ReadonlyMap<string, ScoreRun[]>): number {
  const variants = new Map(rows.map(({ id, owners }) => [owners, byRow.get(id)?.[0].ownerSeconds ?? 0]));
  const fusion = [...byRow.values()].flat().reduce((sum, { seconds }) => sum + seconds, 0);
  return fusion + [...variants.values()].reduce((sum, seconds) => sum + seconds, 0);
}

function workTable(rows: readonly ScoreRow[], byRow: ReadonlyMap<string, ScoreRun[]>): ResultTable {
  return {
    title: 'What it took',
    columns: ['row', 'model', 'seeds', 'best epoch', 'epochs', 'seconds', 'messages', 'MB sent'],
    rows: rows.map(({ id, name }) => {
      const runs = byRow.get(id) ?? [];
      const mean = (of: (run: ScoreRun) => number, digits: number): Measured => ({ ...meanOf(runs.map(of)), digits });
      return [
        id,
        name,
        { mean: runs.length, digits: 0 },
        mean((run) => run.bestEpoch, 0),
        mean((run) => run.epochs, 0),
        mean((run) => run.seconds, 1),
        mean((run) => run.messages, 0),
        mean((run) => run.bytes / 1e6, 1),
      ];
    }),
    note: 'Messages between owners and coordinator during training; where models are frozen, each owner sends one.',
  };
}

/** Scores with everybody present, and F1 with each share of `absent` owners, by the keys of expected.json. */
function values(byRow: ReadonlyMap<string, ScoreRun[]>, absent: readonly number[]): Record<string, number> {
  const figure = (name: string, { mean, deviation = 0 }: Measured): [string, number][] => [
    [name, mean],
    [`${name}Deviation`, deviation],
  ];
  const entries = [...byRow].flatMap(([row, runs]) => [
    ...(['f1', 'auc'] as const).flatMap((score) => figure(`${row}/${score}`, measured(runs, score))),
    ...absencePoints(runs, absent).flatMap((point, i) => figure(`${row}/f1 with ${absenceName(absent[i])}`, point)),
  ]);
  return Object.fromEntries(entries);
}

/** Seconds of one fit of each row, to a tenth: later runs estimate the time left by them. */
function rowSeconds(byRow: ReadonlyMap<string, ScoreRun[]>): Record<string, number> {
  const mean = (runs: readonly ScoreRun[]) => meanAndDeviation(runs.map(({ seconds }) => seconds)).mean;
  return Object.fromEntries(Array.from(byRow, ([row, runs]) => [row, Math.round(10 * mean(runs)) / 10]));
}

const presetsOf = (rows: readonly ScoreRow[]) =>
  Object.fromEntries(rows.map(({ preset = 'paper' }) => [preset, fusionPresets[preset]]));

const variantsOf = (rows: readonly ScoreRow[]): Record<string, string> =>
  Object.fromEntries(rows.map(({ owners }) => [owners, ownerVariants[owners].name]));
