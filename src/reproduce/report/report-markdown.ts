// report.md: the same as the page, for a repository or a terminal; figures are files beside it.
import { type ResultTable, SIMULATED } from '../../figures/result.ts';
import type { ExperimentResult } from '../experiment.ts';
import {
  agreement,
  agreementText,
  type CellText,
  cellText,
  columnsOf,
  formatDuration,
  formatSeeds,
  TIME_RULE,
  VERDICT_RULE,
} from './report-cells.ts';
import { anchorsOf, datasetTitle, factLine, figureFiles, REPRODUCTION, type ReportFacts } from './report-names.ts';

export type Alignment = 'left' | 'right';

export interface MarkdownOptions {
  /** Tables and remarks only: for a terminal, or a document without the figures beside it. */
  brief?: boolean;
}

export function renderMarkdown(
  results: readonly ExperimentResult[],
  facts: ReportFacts,
  { brief = false }: MarkdownOptions = {},
): string {
  const anchors = anchorsOf(results);
  const files = figureFiles(results);
  const overview = results.map((result) => [
    `[${heading(result)}](#${anchors.get(result)})`,
    agreementText(agreement(result)),
    String(result.seeds),
    formatDuration(result.seconds),
  ]);
  const { title = REPRODUCTION } = facts.heading ?? {};
  const judgement = [
    ...alignedTable(['experiment', 'agree', 'seeds', 'time'], ['left', 'right', 'right', 'right'], overview),
    `${plain(VERDICT_RULE.replace(' (green)', ''))} Other differences are **bold**. ${plain(TIME_RULE)}`,
  ];
  const blocks = [
    `# ${plain(title)}`,
    ...(facts.heading ? [plain(facts.heading.introduction)] : []),
    plain(factLine(facts)),
    ...(facts.heading ? [] : judgement),
    ...results.flatMap((result) => section(result, anchors.get(result) as string, brief ? undefined : files)),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function section(
  result: ExperimentResult,
  anchor: string,
  files: ReturnType<typeof figureFiles> | undefined,
): string[] {
  const { summary, tables, figures, remarks, command, configuration, seeds, seconds } = result;
  const note = result.simulated ? ` (${SIMULATED})` : '';
  return [
    `<a id="${anchor}"></a>\n\n## ${heading(result)}`,
    plain(summary),
    ...tables.flatMap((table) => [
      `### ${plain(table.title)}${note}`,
      ...resultTable(table),
      ...(table.note ? [plain(table.note)] : []),
    ]),
    ...(files ? figures : []).flatMap((figure) => {
      const title = `${plain(figure.title)}${note}`;
      return [`![${title}](./${files?.get(figure)})`, `**${title}.** ${plain(figure.caption)}`];
    }),
    ...(remarks.length > 0 ? [remarks.map((remark) => `- ${plain(remark)}`).join('\n')] : []),
    `${formatSeeds(seeds)}, ${formatDuration(seconds)}:`,
    fenced(command, 'sh'),
    ...(files
      ? [
          `<details><summary>Configuration</summary>\n\n${fenced(JSON.stringify(configuration, null, 2) ?? '', 'json')}\n\n</details>`,
        ]
      : []),
  ];
}

function heading(result: ExperimentResult): string {
  const about = [datasetTitle(result), result.simulated ? SIMULATED : undefined].filter((part) => part !== undefined);
  return `${plain(result.title)}${about.length > 0 ? ` (${about.join(', ')})` : ''}`;
}

function resultTable(table: ResultTable): string[] {
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

/** One block; every cell is padded to its column's width, so that the source reads as a table too. */
export function alignedTable(
  heads: readonly string[],
  alignments: readonly Alignment[],
  rows: readonly (readonly string[])[],
): string[] {
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
  return [[line(heads), line(rule), ...rows.map(line)].join('\n')];
}

/** A fence longer than any run of backticks inside. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Text that means itself: on one line, and nothing in it is markup, a link or a column's end. */
function plain(text: string): string {
  return text
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/[\\`*_{}[\]<>|~$#]/g, '\\$&')
    .replace(/^(\d+)([.)])(?=\s)/, '$1\\$2')
    .replace(/^([-+])(?=\s)/, '\\$1');
}
