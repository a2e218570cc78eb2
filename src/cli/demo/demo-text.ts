// Writes the result of `f3 demo` as text for a terminal.
import type { Measured } from '../../figures/result.ts';
import { formatNumber } from '../../reproduce/report/report-cells.ts';
import { absenceSentence, comparisonTable } from './demo-comparison.ts';
import { graphSentence } from './demo-graph.ts';
import { type DemoResult, rowName } from './demo-result.ts';

export function demoText(result: DemoResult): string {
  const { owners, samples, seed, fits, tested, absent, live, processes, seconds } = result;
  const online = processes.owners.map(({ started, ended }) => (ended - started) / 1000).sort((a, b) => a - b);
  const right = live.filter(({ truth, class: answer }) => truth === answer).length;
  const kilobytes = processes.owners.reduce((sum, { bytes }) => sum + bytes, 0) / 1000 / owners;
  const comparisons = comparisonTable(result);
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
    ...table(comparisons.head, comparisons.rows, [1]),
    '',
    ...wrap(absenceSentence(result)),
    ...wrap(graphSentence(result.graph)),
    '',
    `Live, simulated: the first ${live.length} events of the test part, ${right} answered right;`,
    `${absent.length} owners away (${some(absent, 6)})`,
    '',
    ...table(
      ['event', 'answer', 'sure', 'truth', 'owners present'],
      live.map(({ sample, truth, class: answer, probability, present }) => [
        sample,
        answer,
        `${Math.round(100 * probability)} %`,
        truth,
        `${present.length}: ${some(present, 3)}`,
      ]),
      [2],
    ),
    '',
    `Each owner was a process of its own: online ${online[online.length >> 1].toFixed(1)} s (median), one bundle of`,
    `${kilobytes.toFixed(0)} kB (mean), all ended before training began. ${seconds.toFixed(0)} s in all.`,
  ].join('\n');
}

export const measured = ({ mean, deviation }: Measured): string =>
  deviation === undefined ? formatNumber(mean, 3) : `${formatNumber(mean, 3)} ± ${formatNumber(deviation, 3)}`;

export const some = (names: readonly string[], count: number): string =>
  names.length > count ? `${names.slice(0, count).join(', ')}, …` : names.join(', ') || 'none';

/** Breaks a text at spaces into lines of at most this many letters. */
export function wrap(text: string, letters = 100): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= letters) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** `right` lists the columns to align to the right; by default all but the first. */
export function table(head: string[], rows: string[][], right = head.map((_, column) => column).slice(1)): string[] {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((cells) => cells[column].length)));
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => (right.includes(column) ? cell.padStart(widths[column]) : cell.padEnd(widths[column])))
      .join('  ')
      .trimEnd();
  return [line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)];
}
