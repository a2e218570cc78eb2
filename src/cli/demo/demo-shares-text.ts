// Writes the result of `f3 demo --on-shares` as text for a terminal.
import { READING_HEAD, readingRows, readingSentences } from './demo-reading-table.ts';
import { rowName } from './demo-result.ts';
import type { DemoSharesResult } from './demo-shares-result.ts';
import { measured, some, table, wrap } from './demo-text.ts';

export function demoSharesText(result: DemoSharesResult): string {
  const { owners, samples, seed, tested, absent, live, training, ledger, processes, seconds } = result;
  const right = live.filter(({ truth, class: answer }) => truth === answer).length;
  const kilobytes = processes.owners.reduce((sum, { bytes }) => sum + bytes, 0) / 1000 / owners;
  return [
    '',
    `Simulated grid: ${owners} owners, ${samples} events, seed ${seed}; three entities, any ${result.threshold} of which learn nothing.`,
    `Charter ${result.charter}`,
    `Scores on the ${tested} events of the test part; all owners were offline while they were predicted`,
    '',
    ...table(
      ['', 'macro F1', 'ROC AUC', 'accuracy'],
      result.rows.map((row) => [rowName(row, result), ...[row.f1, row.auc, row.accuracy].map(measured)]),
    ),
    '',
    `Absent: ${some(absent, 8)}. Live, in shares: ${live.length} events, ${right} answered right.`,
    '',
    'Opened in all trainings and predictions, as the entities wrote it down (the ledger):',
    '',
    ...table(
      ['opened', 'to', 'times', 'numbers', 'bits of mask'],
      ledger.map(({ what, to, openings, count, maskBits }) => [
        what,
        to,
        String(openings),
        String(count),
        maskBits === undefined ? '–' : String(maskBits),
      ]),
      [2, 3, 4],
    ),
    '',
    'Who could have read what, alone and by twos:',
    '',
    ...table(READING_HEAD, readingRows(result), [2]),
    '',
    ...readingSentences(result).flatMap((sentence) => wrap(sentence)),
    '',
    `Each owner sent ${kilobytes.toFixed(0)} kB of shares (mean) and ended before training began; ${training.epochs} epochs on shares`,
    `took ${training.seconds.toFixed(0)} s. ${seconds.toFixed(0)} s in all.`,
  ].join('\n');
}
