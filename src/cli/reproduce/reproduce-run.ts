// The work behind `f3 reproduce`: it runs the planned experiments and writes one report.
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
import { needsData, needsFile, runExperiment } from '../../reproduce/run-experiment.ts';
import { printResult } from '../run-command.ts';
import { untilInterrupted } from '../terminal/interrupt.ts';
import { Progress } from '../terminal/progress.ts';
import { type PlannedExperiment, type PlanOptions, planExperiments } from './plan-experiments.ts';

export interface ReproduceOptions extends PlanOptions {
  data?: string;
  cache?: string;
  out: string;
  markdown?: string;
  threads?: number;
  json?: boolean;
}

export async function runReproduce(experiment: string, options: ReproduceOptions): Promise<void> {
  const planned = planExperiments(experiment, options);
  checkReportTarget(options.out);
  if (options.markdown !== undefined) checkPagesOption(options.markdown);
  const cache = resolve(options.cache ?? process.env.F3_CACHE ?? join(homedir(), '.cache', 'f3'));
  const data = options.data ?? process.env.F3_DATA ?? cache;
  requireFolder('--cache', cache);
  for (const { name, dataset } of planned) if (needsFile(name)) requireFile(dataset, data);
  const progress = new Progress();
  const hint = 'the same command goes on; what is finished is kept';
  const writeLine = (line: string) => {
    progress.stop();
    process.stderr.write(`${line}\n`);
  };
  const facts = machineFacts();
  const page = join(options.out, 'report.html');
  const results: ExperimentResult[] = [];
  await untilInterrupted(hint, progress, async (signal) => {
    const context = { data, cache, signal, progress: progress.update, threads: options.threads };
    try {
      for await (const result of runAll(planned, context, options, writeLine)) results.push(result);
    } catch (error) {
      if (signal.aborted) return;
      if (results.length > 0) {
        await writeReport(options.out, results, facts);
        writeLine(`f3: ${results.length} of ${planned.length} are finished and stand in ${page}`);
      }
      throw error;
    }
  });
  await writeReport(options.out, results, facts);
  if (options.update) putOnRecord(results, writeLine);
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

/** Gives each result as soon as it is there, with a remark on how it compares with the record. */
async function* runAll(
  planned: readonly PlannedExperiment[],
  context: Omit<ExperimentContext, 'seeds'>,
  { seeds, rows, update = false }: ReproduceOptions,
  writeLine: (line: string) => void,
): AsyncGenerator<ExperimentResult> {
  for (const [i, { name, dataset }] of planned.entries()) {
    writeLine(`${i + 1} of ${planned.length}: ${name}${needsData(name) ? `, ${dataset}` : ''}`);
    const repeated = { ...context, seeds: seeds ?? defaultSeeds(name, dataset) };
    const result = await runExperiment(name, dataset, repeated, rows);
    const { isRecordable = true } = result;
    const recorded = isRecordable && !update ? readExpected(name).ours[recordOf(result)] : undefined;
    const remark = recordedRemark(result, recorded);
    yield remark ? { ...result, remarks: [...result.remarks, remark] } : result;
  }
}

/** The data set under which expected.json keeps a result: what is about none stands with the first. */
const recordOf = ({ dataset = DATASETS[0] }: ExperimentResult): DatasetName => dataset;

/** Puts the figures on record. */
function putOnRecord(results: readonly ExperimentResult[], writeLine: (line: string) => void): void {
  for (const result of results) {
    const { name, seeds, seconds, values, rowSeconds, isRecordable = true } = result;
    if (!isRecordable) {
      writeLine(`f3: ${name}, ${recordOf(result)}: not put on record, the data is not what the name says`);
      continue;
    }
    updateExpected(name, recordOf(result), { seeds, seconds: Math.round(seconds), values, rowSeconds });
  }
}
