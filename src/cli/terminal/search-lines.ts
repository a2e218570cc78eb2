// Shows what a search tried as lines of a table, the chosen one marked.
import type { SearchReport, TriedFit } from '../../fuse/search/search-report.ts';
import { shownNumber } from './shown-number.ts';

const HEAD = ['', 'fit', 'criterion', 'loss', 'F1', '30 % absent', '70 % absent', 'seconds', 'what was tried'];
/** Columns of words; the others are numbers. */
const WORDS: readonly number[] = [HEAD.length - 1];

export function searchLines(report: SearchReport): string[] {
  const rows = [HEAD, ...report.tried.map(cells)];
  const widths = HEAD.map((_, c) => Math.max(...rows.map((row) => row[c].length)));
  const lines = rows.map((row) =>
    row
      .map((cell, c) => (WORDS.includes(c) ? cell : cell.padStart(widths[c])))
      .join('  ')
      .trimEnd(),
  );
  const { absenceWeight, fits, outOfTime, seconds } = report;
  const spent = `${fits} ${fits === 1 ? 'fit' : 'fits'} in ${seconds.toFixed(1)} s${outOfTime ? ', until time was over' : ''}`;
  const loss =
    absenceWeight === 0
      ? 'validation loss'
      : `validation loss, ${share(1 - absenceWeight)} with everybody there and ${share(absenceWeight)} with owners absent`;
  return [`search: ${spent}; * is the model. criterion: ${loss}; F1 is validation's`, ...lines];
}

function cells(tried: TriedFit, position: number): string[] {
  const { name, members, criterion, situations, seconds, failure, chosen, givenUp, epochs } = tried;
  return [
    chosen ? '*' : '',
    members ? '' : String(position + 1),
    shownNumber(criterion, 4),
    shownNumber(situations[0]?.loss, 4),
    ...[0, 1, 2].map((situation) => shownNumber(situations[situation]?.f1, 3)),
    seconds.toFixed(1),
    failure !== undefined
      ? `${name} (failed: ${failure})`
      : givenUp
        ? `${name} (given up after epoch ${epochs})`
        : name,
  ];
}

const share = (part: number): string => `${Math.round(100 * part)} %`;
