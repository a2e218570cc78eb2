// The work behind `f3 reproduce`: which experiments on which data sets, then one report.
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { F3Error } from '../../errors.ts';
import {
  DATASETS,
  type DatasetName,
  type ExperimentContext,
  type ExperimentResult,
} from '../../reproduce/experiment.ts';
import { defaultSeeds, readExpected, updateExpected } from '../../reproduce/experiment-files.ts';
import { requireFile } from '../../reproduce/find-dataset.ts';
import { machineFacts } from '../../reproduce/report/machine-facts.ts';
import { recordedRemark } from '../../reproduce/report/recorded-remark.ts';
import { renderMarkdown } from '../../reproduce/report/report-markdown.ts';
import { checkResultsFolder, writeResultsPages, writeResultsSummary } from '../../reproduce/report/results-folder.ts';
import { checkReportTarget, writeReport } from '../../reproduce/report/write-report.ts';
import {
  EXPERIMENT_NAMES,
  type ExperimentName,
  hasSeeds,
  isScoreTable,
  needsData,
  needsFile,
  runExperiment,
} from '../../reproduce/run-experiment.ts';
import { requireRows } from '../../reproduce/tables/score-table.ts';
import { printResult } from '../run-command.ts';
import { untilInterrupted } from '../terminal/interrupt.ts';
import { Progress } from '../terminal/progress.ts';

export interface ReproduceOptions {
  dataset?: DatasetName[];
  seeds?: number;
  rows?: string[];
  data?: string;
  cache?: string;
  out: string;
  markdown?: string;
  threads?: number;
  update?: boolean;
  json?: boolean;
}

export async function runReproduce(experiment: string, options: ReproduceOptions): Promise<void> {
  const jobs = plan(experiment, options);
  checkReportTarget(options.out);
  if (options.markdown !== undefined) checkPagesOption(options.markdown);
  const cache = resolve(options.cache ?? process.env.F3_CACHE ?? join(homedir(), '.cache', 'f3'));
  const data = options.data ?? process.env.F3_DATA ?? cache;
  requireFolder('--cache', cache);
  for (const { name, dataset } of jobs) if (needsFile(name)) requireFile(dataset, data);
  const progress = new Progress();
  const hint = 'the same command goes on; what is finished is kept';
  const say = (line: string) => {
    progress.stop();
    process.stderr.write(`${line}\n`);
  };
  const facts = machineFacts();
  const page = join(options.out, 'report.html');
  const results: ExperimentResult[] = [];
  await untilInterrupted(hint, progress, async (signal) => {
    const context = {
      ...{ data, cache, signal, progress: progress.update },
      ...(options.threads !== undefined && { threads: options.threads }),
    };
    try {
      for await (const result of runAll(jobs, context, options, say)) results.push(result);
    } catch (error) {
      if (signal.aborted) return;
      if (results.length > 0) {
        await writeReport(options.out, results, facts);
        say(`f3: ${results.length} of ${jobs.length} are finished and stand in ${page}`);
      }
      throw error;
    }
  });
  await writeReport(options.out, results, facts);
  if (options.update) update(results, say);
  if (options.markdown !== undefined) {
    writeResultsPages(options.markdown, results, facts);
    if (options.update) writeResultsSummary(options.markdown);
  }
  const brief = renderMarkdown(results, facts, { brief: true });
  printResult({ report: page, results }, `${brief}\nreport: ${page}`, options.json);
}

function checkPagesOption(dir: string): void {
  if (dir.endsWith('.md')) {
    const one = 'report.md in the folder of --out is one file';
    throw new F3Error('F3_OPTION', `--markdown: must be a folder for several pages (${one}), got ${dir}`);
  }
  checkResultsFolder(dir);
}

function requireFolder(option: string, path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true) return;
  throw new F3Error('F3_OPTION', `${option}: must be a folder or not be there yet, got the file ${path}`);
}

interface Job {
  name: ExperimentName;
  dataset: DatasetName;
}

function plan(experiment: string, options: ReproduceOptions): Job[] {
  const { dataset, rows, seeds, update } = options;
  const all = experiment === 'all';
  if (!all && !(EXPERIMENT_NAMES as readonly string[]).includes(experiment)) {
    const rule = `must be one of ${EXPERIMENT_NAMES.join(', ')} or all`;
    throw new F3Error('F3_OPTION', `experiment: ${rule}, got ${experiment}`);
  }
  const names = all ? EXPERIMENT_NAMES : [experiment as ExperimentName];
  if (rows && !names.every(isScoreTable)) {
    throw new F3Error(
      'F3_OPTION',
      `--rows: is for tables of scores (table-2, table-3, table-5, beyond), got ${experiment}`,
    );
  }
  for (const name of rows ? names : []) requireRows(name, rows as string[]);
  if (dataset && !names.some(needsData)) {
    throw new F3Error('F3_OPTION', `--dataset: is for experiments on data, got ${experiment}`);
  }
  if (seeds !== undefined && !names.some(hasSeeds)) {
    throw new F3Error(
      'F3_OPTION',
      `--seeds: is for experiments that repeat (tables 2 to 5, beyond), got ${experiment}`,
    );
  }
  if (rows && update) {
    const rule = 'whole tables only, a few rows would leave the others stale';
    throw new F3Error('F3_OPTION', `--update: ${rule}; got --rows ${rows.join(',')}`);
  }
  const datasets = dataset ?? (all ? DATASETS : (['metr-la'] as const));
  for (const name of update && seeds !== undefined ? names.filter(hasSeeds) : []) {
    const few = datasets.find((each) => (seeds as number) < defaultSeeds(name, each));
    if (few === undefined) continue;
    const rule = `takes figures of ${defaultSeeds(name, few)} seeds or more for ${name} on ${few}`;
    throw new F3Error('F3_OPTION', `--update: ${rule}, got --seeds ${seeds}`);
  }
  return [
    ...datasets.flatMap((each) => names.filter(needsData).map((name) => ({ name, dataset: each }))),
    ...names.filter((name) => !needsData(name)).map((name) => ({ name, dataset: datasets[0] })),
  ];
}

async function* runAll(
  jobs: readonly Job[],
  context: Omit<ExperimentContext, 'seeds'>,
  { seeds, rows, update = false }: ReproduceOptions,
  say: (line: string) => void,
): AsyncGenerator<ExperimentResult> {
  for (const [i, { name, dataset }] of jobs.entries()) {
    say(`${i + 1} of ${jobs.length}: ${name}${needsData(name) ? `, ${dataset}` : ''}`);
    const counted = { ...context, seeds: seeds ?? defaultSeeds(name, dataset) };
    const result = await runExperiment(name, dataset, counted, rows);
    const { isRecordable = true } = result;
    const recorded = isRecordable && !update ? readExpected(name).ours[recordOf(result)] : undefined;
    const remark = recordedRemark(result, recorded);
    yield remark ? { ...result, remarks: [...result.remarks, remark] } : result;
  }
}

/** Where expected.json keeps it: what is about no data set stands with the first. */
const recordOf = ({ dataset = DATASETS[0] }: ExperimentResult): DatasetName => dataset;

function update(results: readonly ExperimentResult[], say: (line: string) => void): void {
  for (const result of results) {
    const { name, seeds, seconds, values, rowSeconds, isRecordable = true } = result;
    if (!isRecordable) {
      say(`f3: ${name}, ${recordOf(result)}: not put on record, the data is not what the name says`);
      continue;
    }
    const figures = { seeds, seconds: Math.round(seconds), values, ...(rowSeconds && { rowSeconds }) };
    updateExpected(name, recordOf(result), figures);
  }
}
