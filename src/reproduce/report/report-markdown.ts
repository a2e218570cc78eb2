// report.md: the same as report.html, for a repository or a terminal; figures are files beside it.
import { SIMULATED } from '../../figures/result.ts';
import type { ExperimentResult } from '../experiment.ts';
import { alignedTable, fenced, plain, resultTable } from './markdown.ts';
import { agreement, agreementText, formatDuration, formatSeeds, TIME_RULE, VERDICT_RULE } from './report-cells.ts';
import { anchorsOf, datasetTitle, factLine, figureFiles, REPRODUCTION, type ReportFacts } from './report-names.ts';

export interface MarkdownOptions {
  /** Whether to leave out figures and configuration, for a terminal or a document without files beside it. */
  brief?: boolean;
}

/** How to read the differences, the bold ones and the times of an overview. */
export const READING_RULES = `${plain(VERDICT_RULE.replace(' (green)', ''))} Other differences are **bold**. ${plain(TIME_RULE)}`;

export function renderMarkdown(
  results: readonly ExperimentResult[],
  facts: ReportFacts,
  options: MarkdownOptions = {},
): string {
  const { title = REPRODUCTION } = facts.heading ?? {};
  const blocks = [
    `# ${plain(title)}`,
    ...(facts.heading ? [plain(facts.heading.introduction)] : []),
    plain(factLine(facts)),
    ...(facts.heading ? [] : [renderOverview(results), READING_RULES]),
    ...renderSections(results, options),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** One line per experiment, with a link to its section. */
export function renderOverview(results: readonly ExperimentResult[]): string {
  const anchors = anchorsOf(results);
  const rows = results.map((result) => [
    `[${heading(result)}](#${anchors.get(result)})`,
    agreementText(agreement(result)),
    String(result.seeds),
    formatDuration(result.seconds),
  ]);
  return alignedTable(['experiment', 'agree', 'seeds', 'time'], ['left', 'right', 'right', 'right'], rows);
}

/** The blocks of all sections; each section begins with its anchor. */
export function renderSections(results: readonly ExperimentResult[], { brief = false }: MarkdownOptions): string[] {
  const anchors = anchorsOf(results);
  const files = brief ? undefined : figureFiles(results);
  return results.flatMap((result) => renderSection(result, anchors.get(result) as string, files));
}

function renderSection(
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
      resultTable(table),
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
