// Shows scores of several parts as lines of a table.
import type { Scores } from '../../fuse/scores/scores.ts';
import { shownNumber } from './shown-number.ts';

const COLUMNS: [keyof Scores, string][] = [
  ['accuracy', 'accuracy'],
  ['f1', 'F1'],
  ['auc', 'ROC AUC'],
  ['prAuc', 'PR AUC'],
  ['loss', 'loss'],
];

/** `parts`: name of the row → its scores. A score that is not defined (one class only) shows as a dash. */
export function scoreLines(parts: Readonly<Record<string, Scores>>): string[] {
  const names = Object.keys(parts);
  const first = Math.max(...names.map((name) => name.length));
  const cell = (text: string) => text.padStart(9);
  return [
    ''.padEnd(first) + COLUMNS.map(([, title]) => cell(title)).join(''),
    ...names.map(
      (name) => name.padEnd(first) + COLUMNS.map(([key]) => cell(shownNumber(parts[name][key], 3))).join(''),
    ),
  ];
}
