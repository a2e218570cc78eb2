// The work behind `f3 reproduce`: which experiments on which data sets, then one report.
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { F3Error } from '../errors.ts';
import { DATASETS, type DatasetName, type ExperimentContext, type ExperimentResult } from '../reproduce/experiment.ts';
import { defaultSeeds, readExpected, updateExpected, usualDatasets } from '../reproduce/experiment-files.ts';
import { machineFacts } from '../reproduce/machine-facts.ts';
import { checkResultsDocument, mergeMarkdown } from '../reproduce/merge-markdown.ts';
import { recordedRemark } from '../reproduce/recorded-remark.ts';
import { renderMarkdown } from '../reproduce/report-markdown.ts';
import {
  EXPERIMENT_NAMES,
  type ExperimentName,
  isScoreTable,
  needsData,
  runExperiment,
} from '../reproduce/run-experiment.ts';
import { checkReportTarget, writeReport } from '../reproduce/write-report.ts';
import { checkFileTarget, writeWholeFile } from '../whole-file.ts';
import { untilInterrupted } from './interrupt.ts';
import { Progress } from './progress.ts';
import { printResult } from './run-command.ts';

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
  if (options.markdown) checkResultsDocument(textOf(options.markdown), options.markdown);
  const cache = options.cache ?? process.env.F3_CACHE ?? join(homedir(), '.cache', 'f3');
  const data = options.data ?? process.env.F3_DATA ?? cache;
  const progress = new Progress();
  const hint = 'the same command goes on; what is finished is kept';
  const results = await untilInterrupted(hint, progress, async (signal) => {
    const context = {
      ...{ data, cache, signal, progress: progress.update },
      ...(options.threads !== undefined && { threads: options.threads }),
    };
    try {
      return await runAll(jobs, context, options, (line) => {
        progress.stop();
        process.stderr.write(`${line}\n`);
      });
    } catch (error) {
      if (signal.aborted) return [];
      throw error;
    }
  });
  const facts = machineFacts();
  await writeReport(options.out, results, facts);
  if (options.update) update(results);
  const brief = renderMarkdown(results, facts, { brief: true });
  if (options.markdown) writeWholeFile(options.markdown, mergeMarkdown(textOf(options.markdown), brief));
  const page = join(options.out, 'report.html');
  printResult({ report: page, results }, `${brief}\nreport: ${page}`, options.json);
}

/** Empty where there is no such file. */
function textOf(file: string): string {
  checkFileTarget(file, true);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

interface Job {
  name: ExperimentName;
  dataset: DatasetName;
}

function plan(experiment: string, { dataset, rows, update }: ReproduceOptions): Job[] {
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
  if (rows && update) {
    const rule = 'whole tables only, a few rows would leave the others stale';
    throw new F3Error('F3_OPTION', `--update: ${rule}; got --rows ${rows.join(',')}`);
  }
  const datasets = dataset ?? (all ? DATASETS : (['metr-la'] as const));
  const isUsual = (name: ExperimentName, each: DatasetName) => !all || usualDatasets(name).includes(each);
  return [
    ...datasets.flatMap((each) =>
      names.filter((name) => needsData(name) && isUsual(name, each)).map((name) => ({ name, dataset: each })),
    ),
    ...names.filter((name) => !needsData(name)).map((name) => ({ name, dataset: datasets[0] })),
  ];
}

async function runAll(
  jobs: readonly Job[],
  context: Omit<ExperimentContext, 'seeds'>,
  { seeds, rows, update = false }: ReproduceOptions,
  say: (line: string) => void,
): Promise<ExperimentResult[]> {
  const results: ExperimentResult[] = [];
  for (const [i, { name, dataset }] of jobs.entries()) {
    say(`${i + 1} of ${jobs.length}: ${name}${needsData(name) ? `, ${dataset}` : ''}`);
    const counted = { ...context, seeds: seeds ?? defaultSeeds(name, dataset) };
    const result = await runExperiment(name, dataset, counted, rows);
    const remark = update ? undefined : recordedRemark(result, readExpected(name).ours[dataset]);
    results.push(remark ? { ...result, remarks: [...result.remarks, remark] } : result);
  }
  return results;
}

function update(results: readonly ExperimentResult[]): void {
  for (const { name, dataset, seeds, seconds, values, rowSeconds } of results) {
    const figures = { seeds, seconds: Math.round(seconds), values, ...(rowSeconds && { rowSeconds }) };
    updateExpected(name, dataset ?? 'metr-la', figures);
  }
}
