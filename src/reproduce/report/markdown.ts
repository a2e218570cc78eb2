// Markdown for tables, commands and texts that mean themselves; the source of a table reads as a table too.
import type { ResultTable } from '../../figures/result.ts';
import { type CellText, cellText, columnsOf } from './report-cells.ts';

export type Alignment = 'left' | 'right';

/** Columns that the paper has too become three: ours, the paper's and the difference, bold where the two disagree. */
export function resultTable(table: ResultTable): string {
  const columns = columnsOf(table);
  const heads = columns.flatMap(({ title, compared }) =>
    compared ? [`${plain(title)}, ours`, 'paper', 'difference'] : [plain(title)],
  );
  const alignments = columns.flatMap(({ compared, numeric }): Alignment[] =>
    compared ? ['right', 'right', 'right'] : [numeric ? 'right' : 'left'],
  );
  const rows = table.rows.map((row) =>
    columns.flatMap((column, index) => {
      const text = cellText(row[index], column);
      const ours = spread(plain(text.mean), text.deviation);
      return column.compared ? [ours, spread(text.paper, text.paperDeviation), difference(text)] : [ours];
    }),
  );
  return alignedTable(heads, alignments, rows);
}

const spread = (mean: string, deviation?: string): string => (deviation ? `${mean} ± ${deviation}` : mean);
const difference = ({ difference: text, verdict }: CellText): string => (verdict === 'beyond' ? `**${text}**` : text);

/** Every cell is padded to its column's width. */
export function alignedTable(
  heads: readonly string[],
  alignments: readonly Alignment[],
  rows: readonly (readonly string[])[],
): string {
  const width = (text: string) => Array.from(text).length;
  const widths = heads.map((head, i) => Math.max(3, width(head), ...rows.map((row) => width(row[i]))));
  const line = (cells: readonly string[]) => {
    const padded = cells.map((cell, i) => {
      const gap = ' '.repeat(widths[i] - width(cell));
      return alignments[i] === 'right' ? `${gap}${cell}` : `${cell}${gap}`;
    });
    return `| ${padded.join(' | ')} |`;
  };
  const rule = widths.map((count, i) => (alignments[i] === 'right' ? `${'-'.repeat(count - 1)}:` : '-'.repeat(count)));
  return [line(heads), line(rule), ...rows.map(line)].join('\n');
}

/** A block of code; its fence is longer than any run of backticks inside. */
export function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Text that means itself: on one line, and nothing in it is markup, a link or a column's end. */
export function plain(text: string): string {
  return text
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/[\\`*_{}[\]<>|~$#]/g, '\\$&')
    .replace(/^(\d+)([.)])(?=\s)/, '$1\\$2')
    .replace(/^([-+])(?=\s)/, '\\$1');
}
