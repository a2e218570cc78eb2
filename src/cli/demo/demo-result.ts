// What `f3 demo` finds, and how it looks on a terminal.
import type { Measured } from '../../figures/result.ts';
import { formatDifference, formatNumber } from '../../reproduce/report/report-cells.ts';
import type { DemoOwnerReport } from './demo-owner.ts';

export const MEAN_POOLING = 'mean pooling';
export const FUSED = 'F³';

export interface DemoRow {
  model: string;
  /** Some owners took no part in the prediction. */
  someAbsent: boolean;
  f1: Measured;
  auc: Measured;
  accuracy: Measured;
}

/** One event that owners saw live. */
export interface DemoAnswer {
  sample: string;
  truth: string;
  class: string;
  /** Of that class. */
  probability: number;
  /** Owners whose embedding the answer rests on. */
  present: string[];
}

/** Times are milliseconds since 1970. */
export interface DemoOwner extends DemoOwnerReport {
  started: number;
  ended: number;
}

export interface DemoResult {
  simulated: true;
  owners: number;
  samples: number;
  /** Samples in the test part. */
  tested: number;
  seed: number;
  /** Of each model that learns; scores are their mean. */
  fits: number;
  classes: string[];
  rows: DemoRow[];
  /** Owners that stayed away from live prediction. */
  absent: string[];
  live: DemoAnswer[];
  processes: { demo: number; coordinator: number; owners: DemoOwner[]; trainingStarted: number };
  /** Per model and fit the validation loss of each epoch. */
  curves: { label: string; seeds: number[][] }[];
  seconds: number;
}

export const rowName = ({ model, someAbsent }: DemoRow, { absent, owners }: DemoResult): string =>
  someAbsent ? `${model}, ${absent.length} of ${owners} owners absent` : model;

/** F³ minus mean pooling, all owners present: as it came out. */
export function comparison({ rows }: DemoResult): string {
  const scoreOf = (name: string) => rows.find(({ model, someAbsent }) => model === name && !someAbsent) as DemoRow;
  const [fused, pooled] = [scoreOf(FUSED), scoreOf(MEAN_POOLING)];
  const difference = (score: 'f1' | 'auc') => formatDifference(fused[score].mean - pooled[score].mean, 3);
  return `${FUSED} minus ${MEAN_POOLING}: macro F1 ${difference('f1')}, ROC AUC ${difference('auc')}`;
}

/** What chance alone does to an accuracy on so few samples. */
export function chance({ rows, tested }: DemoResult): string {
  const { mean } = (rows.find(({ model }) => model === FUSED) as DemoRow).accuracy;
  const error = Math.sqrt((mean * (1 - mean)) / tested);
  const rounded = formatNumber(error, 3);
  return `${tested} events were tested: the standard error of an accuracy of ${formatNumber(mean, 3)} is ${rounded}`;
}

export function demoText(result: DemoResult): string {
  const { owners, samples, seed, fits, tested, absent, live, processes, seconds } = result;
  const online = processes.owners.map(({ started, ended }) => (ended - started) / 1000).sort((a, b) => a - b);
  const right = live.filter(({ truth, class: answer }) => truth === answer).length;
  const kilobytes = processes.owners.reduce((sum, { bytes }) => sum + bytes, 0) / 1000 / owners;
  return [
    '',
    `Simulated grid: ${owners} owners, ${samples} events, seed ${seed}. Scores on the ${tested} events of the test part;`,
    `of what learns, mean ± standard deviation of ${fits} fits`,
    '',
    ...table(
      ['', 'macro F1', 'ROC AUC', 'accuracy'],
      result.rows.map((row) => [rowName(row, result), ...[row.f1, row.auc, row.accuracy].map(measured)]),
    ),
    '',
    `Live, simulated: the first ${live.length} events of the test part, ${right} answered right;`,
    `${absent.length} owners away (${some(absent, 6)})`,
    '',
    ...table(
      ['event', 'answer', 'sure', 'truth', 'owners present'],
      live.map(({ sample, truth, class: answer, probability, present }) => [
        ...[sample, answer, `${Math.round(100 * probability)} %`, truth],
        `${present.length}: ${some(present, 3)}`,
      ]),
      [2],
    ),
    '',
    `Each owner was a process of its own: online ${online[online.length >> 1].toFixed(1)} s (median), one bundle of`,
    `${kilobytes.toFixed(0)} kB (mean), all ended before training began. ${comparison(result)}.`,
    `${chance(result)}. ${seconds.toFixed(0)} s in all.`,
  ].join('\n');
}

const measured = ({ mean, deviation }: Measured): string =>
  deviation === undefined ? formatNumber(mean, 3) : `${formatNumber(mean, 3)} ± ${formatNumber(deviation, 3)}`;

const some = (names: readonly string[], count: number): string =>
  names.length > count ? `${names.slice(0, count).join(', ')}, …` : names.join(', ') || 'none';

/** `right`: columns of numbers; all but the first where not given. */
function table(head: string[], rows: string[][], right = head.map((_, column) => column).slice(1)): string[] {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((cells) => cells[column].length)));
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => (right.includes(column) ? cell.padStart(widths[column]) : cell.padEnd(widths[column])))
      .join('  ')
      .trimEnd();
  return [line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)];
}
