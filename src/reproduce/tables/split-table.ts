// What we advise beside what a user would pick instead, on several splits of one data set, with everybody and with owners absent.
import { openDataset } from '../../data/dataset/dataset.ts';
import type { Cell, Measured, ResultTable } from '../../figures/result.ts';
import { findSplit, SPLIT_NAMES, type SplitName } from '../data-splits.ts';
import type { DatasetName, ExperimentContext, ExperimentResult } from '../experiment.ts';
import { readConfig, readExpected } from '../experiment-files.ts';
import { findDataset } from '../find-dataset.ts';
import { type Remarks, remarksOn } from '../remarks.ts';
import { absenceName, meanOf } from './score-means.ts';
import type { ScoreRow, ScoreRun } from './score-row.ts';
import { scoreRows } from './score-rows.ts';

interface SplitTableConfig {
  title: string;
  summary: string;
  rows: ScoreRow[];
  /** The splits of each data set; all of them where none are named. */
  splits?: Partial<Record<DatasetName, SplitName[]>>;
  /** The most seeds on splits other than the first, for each of which owners are trained anew. */
  otherSeeds?: Partial<Record<DatasetName, number>>;
  /** Shares of absent owners at which to measure too. */
  absent: number[];
  remarks?: Remarks;
}

/** A figure of one run, or undefined where the run has none. */
type RunFigure = (run: ScoreRun) => number | undefined;

/** Runs of one split, by row. */
type SplitRuns = ReadonlyMap<SplitName, ReadonlyMap<string, ScoreRun[]>>;

/** Heading of the column that averages over the random splits, and its name in expected.json. */
const RANDOM = 'random';

export async function splitTable(
  context: ExperimentContext,
  { name, dataset: datasetName }: { name: string; dataset: DatasetName },
): Promise<ExperimentResult> {
  const config = readConfig<SplitTableConfig>(name);
  const { absent } = config;
  const rows = config.rows.filter(({ datasets }) => datasets?.includes(datasetName) ?? true);
  const splits = config.splits?.[datasetName] ?? [...SPLIT_NAMES];
  const dataset = await findDataset(datasetName, context);
  const classes = (await openDataset(dataset.dir)).classes.length;
  const { rowSeconds: recorded } = readExpected(name).ours[datasetName] ?? {};
  const bySplit = new Map<SplitName, Map<string, ScoreRun[]>>();
  for (const split of splits) {
    const cut = await findSplit(dataset, split, context);
    const most = split === splits[0] ? context.seeds : (config.otherSeeds?.[datasetName] ?? context.seeds);
    const seeds = Math.min(context.seeds, most);
    const own = rows.filter((row) => row.splits?.includes(split) ?? true);
    const runs = await scoreRows(cut, own, { ...context, seeds }, { absent, rowSeconds: recorded });
    bySplit.set(
      split,
      Map.groupBy(runs, ({ row }) => row),
    );
  }
  const figures = figuresOf(classes, absent);
  const isShown = (row: string) => rows.some(({ id }) => id === row);
  return {
    name,
    title: config.title,
    dataset: datasetName,
    simulated: dataset.simulated,
    seeds: context.seeds,
    command: `f3 reproduce ${name} --dataset ${datasetName} --seeds ${context.seeds}`,
    seconds: workSeconds(bySplit),
    summary: config.summary,
    tables: [
      ...figures.map(({ title, of, note }) => figureTable(title, rows, bySplit, of, note)),
      workTable(rows, bySplit),
    ],
    figures: [],
    remarks: [...dataset.remarks, ...(dataset.isGenuine ? remarksOn(config.remarks ?? {}, datasetName, isShown) : [])],
    configuration: { splits, rows },
    isRecordable: dataset.isGenuine,
    values: valuesOf(bySplit, figures),
    rowSeconds: Object.fromEntries(rows.map(({ id }) => [id, roundTenth(meanSeconds(bySplit, id))])),
  };
}

interface SplitFigure {
  /** The figure's part of a key in expected.json. */
  key: string;
  title: string;
  note?: string;
  of: RunFigure;
}

function figuresOf(classes: number, absent: readonly number[]): SplitFigure[] {
  const f1 = classes === 2 ? 'F1' : 'macro F1';
  const sameOwners =
    'The same owners are missing from every sample of the test part; mean over random choices of them and seeds.';
  return [
    { key: 'f1', title: `${f1} on the test part`, of: ({ test }) => test.f1 },
    {
      key: 'auc',
      title: `${classes === 2 ? 'ROC AUC' : 'ROC AUC (one-vs-one)'} on the test part`,
      of: ({ test }) => test.auc,
    },
    ...absent.map((share, i) => ({
      key: `f1 with ${absenceName(share)}`,
      title: `${f1} with ${absenceName(share)}`,
      note: sameOwners,
      of: ({ absence }: ScoreRun) => absence?.[i].f1,
    })),
    {
      key: 'calibration error',
      title: 'Expected calibration error on the test part',
      of: ({ calibrationError }) => calibrationError,
    },
    {
      key: 'calibration error by chance',
      title: 'What of the calibration error is chance',
      note: 'The error that the same predictions would show, on as many samples, if every probability were right.',
      of: ({ calibrationFloor }) => calibrationFloor,
    },
  ];
}

/** Rows × splits of one figure, and its mean over the random splits. */
function figureTable(
  title: string,
  rows: readonly ScoreRow[],
  bySplit: SplitRuns,
  of: RunFigure,
  note?: string,
): ResultTable {
  const random = randomSplits(bySplit);
  return {
    title,
    columns: ['row', 'model', ...bySplit.keys(), ...(random.length > 1 ? [`mean of ${random.length} random`] : [])],
    rows: rows.map(({ id, name }): Cell[] => [
      id,
      name,
      ...[...bySplit.keys()].map((split) => figure(bySplit, [split], id, of)),
      ...(random.length > 1 ? [figure(bySplit, random, id, of)] : []),
    ]),
    ...(note !== undefined && { note }),
  };
}

const randomSplits = (bySplit: SplitRuns): SplitName[] =>
  [...bySplit.keys()].filter((split) => split.startsWith(RANDOM));

/** Mean and deviation over all runs of the row on these splits. */
function figure(bySplit: SplitRuns, splits: readonly SplitName[], row: string, of: RunFigure): Measured {
  const runs = splits.flatMap((split) => bySplit.get(split)?.get(row) ?? []);
  return meanOf(runs.map((run) => of(run) ?? null));
}

function workTable(rows: readonly ScoreRow[], bySplit: SplitRuns): ResultTable {
  const splits = [...bySplit.keys()];
  const mean = (row: string, of: RunFigure, digits: number): Measured => ({
    ...figure(bySplit, splits, row, of),
    digits,
  });
  return {
    title: 'What it took',
    columns: ['row', 'model', 'fits per split', 'best epoch', 'epochs', 'seconds of a fit'],
    rows: rows.map(({ id, name }) => [
      id,
      name,
      { mean: bySplit.get(splits[0])?.get(id)?.length ?? 0, digits: 0 },
      mean(id, (run) => run.bestEpoch, 0),
      mean(id, (run) => run.epochs, 0),
      mean(id, (run) => run.seconds, 1),
    ]),
    note: 'Means over all splits. Of several fits mixed into one model, epochs are the first fit’s and seconds those of all.',
  };
}

function valuesOf(bySplit: SplitRuns, figures: readonly SplitFigure[]): Record<string, number> {
  const groups: [string, SplitName[]][] = [...bySplit.keys()].map((split) => [split, [split]]);
  const random = randomSplits(bySplit);
  if (random.length > 0) groups.push([RANDOM, random]);
  const rows = [...(bySplit.values().next().value ?? new Map<string, ScoreRun[]>()).keys()];
  const entries = groups.flatMap(([name, splits]) =>
    rows.flatMap((row) =>
      figures.flatMap(({ key, of }): [string, number][] => {
        if (splits.some((split) => !bySplit.get(split)?.has(row))) return []; // a row may run on some splits only
        const { mean, deviation = 0 } = figure(bySplit, splits, row, of);
        return [
          [`${name}/${row}/${key}`, mean],
          [`${name}/${row}/${key}Deviation`, deviation],
        ];
      }),
    ),
  );
  return Object.fromEntries(entries);
}

/** The seconds of training owners and rows, added up over splits. */
function workSeconds(bySplit: SplitRuns): number {
  let sum = 0;
  for (const byRow of bySplit.values()) {
    const runs = [...byRow.values()].flat();
    const owners = new Set(runs.map(({ ownerSeconds }) => ownerSeconds)); // each way of training owners has its own time
    sum += [...owners, ...runs.map(({ seconds }) => seconds)].reduce((total, seconds) => total + seconds, 0);
  }
  return sum;
}

function meanSeconds(bySplit: SplitRuns, row: string): number {
  return figure(bySplit, [...bySplit.keys()], row, (run) => run.seconds).mean;
}

const roundTenth = (value: number): number => Math.round(10 * value) / 10;
