// A report's folder: report.html, report.md, results.json and every figure as SVG, written whole or not at all.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkTarget, type DirectoryTarget, writeWholeDirectory } from '../../base/whole-directory.ts';
import { F3Error } from '../../errors.ts';
import { fileFigure } from '../../figures/report-figure.ts';
import type { ExperimentResult } from '../experiment.ts';
import { renderHtml } from './report-html.ts';
import { renderMarkdown } from './report-markdown.ts';
import { figureFiles, type ReportFacts } from './report-names.ts';

export const REPORT_FORMAT = 'f3-report';
const REPORT_VERSION = 1;
const RESULTS = 'results.json';
const TARGET: DirectoryTarget = {
  content: 'a report',
  mark: RESULTS,
  overwrite: true,
  exists: 'F3_OUTPUT',
  unwritable: 'F3_OUTPUT',
};

/** Throws unless the folder is new, empty or an older report. Call it before the work, so that a mistake costs no waiting. */
export function checkReportTarget(dir: string): void {
  checkTarget(dir, TARGET);
  const format = formatOf(join(dir, RESULTS));
  if (format === undefined || format === REPORT_FORMAT) return;
  throw new F3Error('F3_OUTPUT', `output ${dir}: ${RESULTS} must be of format ${REPORT_FORMAT}, got ${format}`);
}

/** Writes the folder and gives the names of its files, report.html first. */
export async function writeReport(
  dir: string,
  results: readonly ExperimentResult[],
  facts: ReportFacts,
): Promise<string[]> {
  checkReportTarget(dir);
  const names = figureFiles(results);
  const files: Record<string, string> = {
    'report.html': await renderHtml(results, facts),
    'report.md': renderMarkdown(results, facts),
    [RESULTS]: `${JSON.stringify({ format: REPORT_FORMAT, version: REPORT_VERSION, facts, results })}\n`,
  };
  for (const { figures, simulated } of results) {
    for (const figure of figures) files[names.get(figure) as string] = await fileFigure(figure, simulated);
  }
  writeWholeDirectory(dir, files, TARGET);
  return Object.keys(files);
}

/** The format that a report's JSON states. Undefined where there is no such file. */
function formatOf(file: string): string | undefined {
  try {
    const { format } = JSON.parse(readFileSync(file, 'utf8')) as { format?: unknown };
    return String(format ?? 'none');
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : 'none';
  }
}
