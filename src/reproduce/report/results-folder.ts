// The folder of results, docs/results in this repository: a page per data set, and a summary of the figures on record.
import { accessSync, constants, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { unwritable } from '../../base/unwritable.ts';
import { existingFolder } from '../../base/whole-directory.ts';
import { writeWholeFile } from '../../base/whole-file.ts';
import type { ExperimentResult } from '../experiment.ts';
import { renderSummary, SUMMARY_MARK } from '../summary/results-summary.ts';
import type { ReportFacts } from './report-names.ts';
import {
  checkPage,
  mergePages,
  pageOf,
  RESULTS_PAGES,
  type ResultsPageName,
  renderPage,
  requireMark,
  SUMMARY_PAGE,
} from './results-page.ts';

const PAGE_NAMES = Object.keys(RESULTS_PAGES) as ResultsPageName[];
const fileOf = (dir: string, page: ResultsPageName): string => join(dir, `${page}.md`);

/**
 * Throws unless pages may be written there: a document of something else is never overwritten. Call it before the work, so
 * that a mistake costs no waiting.
 */
export function checkResultsFolder(dir: string): void {
  try {
    accessSync(existingFolder(resolve(dir)), constants.W_OK);
  } catch (cause) {
    throw unwritable(`output ${dir}`, cause, 'F3_OUTPUT');
  }
  for (const page of PAGE_NAMES) checkPage(textOf(fileOf(dir, page)), fileOf(dir, page));
  const summary = join(dir, SUMMARY_PAGE);
  requireMark(textOf(summary), SUMMARY_MARK, summary);
}

/** Each result replaces its own section on the page of its data set. Gives the files that were written. */
export function writeResultsPages(dir: string, results: readonly ExperimentResult[], facts: ReportFacts): string[] {
  checkResultsFolder(dir);
  mkdirSync(dir, { recursive: true });
  return PAGE_NAMES.flatMap((page) => {
    const own = results.filter((result) => pageOf(result) === page);
    if (own.length === 0) return [];
    const file = fileOf(dir, page);
    writeWholeFile(file, mergePages(textOf(file), renderPage(page, own, facts)));
    return [file];
  });
}

/** The page in front of the others, from the figures on record. */
export function writeResultsSummary(dir: string): void {
  writeWholeFile(join(dir, SUMMARY_PAGE), renderSummary());
}

/** Empty where there is no such file. */
const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
