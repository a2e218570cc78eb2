// A page of results for one data set: what ran replaces its own sections of an earlier page, the others stay.
import { F3Error } from '../../errors.ts';
import type { DatasetName, ExperimentResult } from '../experiment.ts';
import { type Alignment, alignedTable, plain } from './markdown.ts';
import { READING_RULES, renderOverview, renderSections } from './report-markdown.ts';
import { factLine, REPRODUCTION, type ReportFacts } from './report-names.ts';

/** What is about no data set stands on the page of theory. */
export type ResultsPageName = DatasetName | 'theory';

interface PageDescription {
  title: string;
  /** The title where it heads a column. */
  short: string;
  /** Which data this is, and how far its figures compare with the paper's. */
  about: string;
}

export const RESULTS_PAGES: Readonly<Record<ResultsPageName, PageDescription>> = {
  'metr-la': {
    title: 'METR-LA',
    short: 'METR-LA',
    about: 'Traffic speeds of Los Angeles, the paper’s own data: figures are judged against the paper’s.',
  },
  'pems-bay-74': {
    title: 'PEMS-BAY-74',
    short: 'PEMS-BAY-74',
    about:
      'Traffic speeds of the San Francisco Bay Area, 74 of the paper’s 325 sensors: scores stand beside the paper’s and are not judged.',
  },
  'pmu-b': {
    title: 'PMU-B, simulated data',
    short: 'PMU-B (simulated)',
    about: 'A simulated power grid of the size of the paper’s PMU-B, whose recordings are proprietary.',
  },
  'pmu-c': {
    title: 'PMU-C, simulated data',
    short: 'PMU-C (simulated)',
    about: 'A simulated power grid of the size of the paper’s PMU-C, whose recordings are proprietary.',
  },
  theory: {
    title: 'Theory',
    short: 'theory',
    about: 'The paper’s theorems against samples of the kernels and exact integrals; no data set is needed.',
  },
};

export const pageOf = ({ dataset }: Pick<ExperimentResult, 'dataset'>): ResultsPageName => dataset ?? 'theory';

/** What every page of results begins with. */
const PAGE_MARK = `# ${REPRODUCTION}: `;
/** Name of the page in front of the others. */
export const SUMMARY_PAGE = 'README.md';

export function renderPage(name: ResultsPageName, results: readonly ExperimentResult[], facts: ReportFacts): string {
  const { title, about } = RESULTS_PAGES[name];
  const blocks = [
    `${PAGE_MARK}${plain(title)}`,
    `${plain(about)} [Summary of all pages](${SUMMARY_PAGE})`,
    plain(factLine(facts)),
    renderOverview(results),
    READING_RULES,
    ...renderSections(results, { brief: true }),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** Throws unless `text` is empty or a page that `renderPage` wrote: other documents are never overwritten. */
export function checkPage(text: string, file: string): void {
  if (text.trim() === '') return;
  requireMark(text, PAGE_MARK, file);
  const { columns, sections } = parsePage(text);
  if (columns.length === 2 && sections.size > 0) return;
  const found = columns.length < 2 ? 'no overview' : 'no section';
  throw new F3Error('F3_OUTPUT', `output ${file}: a page of results must have an overview and sections, got ${found}`);
}

/** Throws unless `text` is empty or begins with `mark`. */
export function requireMark(text: string, mark: string, file: string): void {
  if (text.trim() === '' || text.startsWith(mark)) return;
  const found = JSON.stringify(text.slice(0, 60).split('\n')[0]);
  const rule = `must be new, empty or begin with ${JSON.stringify(mark.trim())}`;
  throw new F3Error('F3_OUTPUT', `output ${file}: ${rule}, got ${found}`);
}

/** A page as `renderPage` writes it, taken apart. */
interface ResultsPage {
  /** Title and what the page is about. */
  top: string[];
  /** What its sections were made with and when. */
  facts: string;
  /** Heads and rule of the overview; nothing where it is missing. */
  columns: string[][];
  /** Anchor → its cells of the overview. */
  overview: Map<string, string[]>;
  /** What stands between the overview and the first section. */
  rules: string;
  /** Anchor → text, the anchor included. */
  sections: Map<string, string>;
}

/**
 * `known` with the sections of `made`, in the order of `known`, new ones at the end. The first lines of `known` say what
 * its sections were made with; sections of `made` say it themselves at their end, where it is something else.
 */
export function mergePages(known: string, made: string): string {
  if (known.trim() === '') return made;
  const before = parsePage(known);
  const now = parsePage(made);
  const isWholeNew = [...before.sections.keys()].every((anchor) => now.sections.has(anchor));
  if (isWholeNew) return made;
  const ending = now.facts === before.facts ? '' : `\n\n${now.facts}`;
  const dated = new Map([...now.sections].map(([anchor, text]) => [anchor, `${text}${ending}`]));
  const sections = new Map([...before.sections, ...dated]);
  const overview = new Map([...before.overview, ...now.overview]);
  const [heads, rule] = now.columns;
  const alignments = rule.map((dashes): Alignment => (dashes.endsWith(':') ? 'right' : 'left'));
  const blocks = [
    ...now.top,
    before.facts,
    alignedTable(heads, alignments, [...overview.values()]),
    now.rules,
    ...sections.values(),
  ];
  return `${blocks.join('\n\n')}\n`;
}

const ANCHOR = /^<a id="([^"]+)"><\/a>$/m;
/** The cell of the overview that links to a section. */
const LINK = /\(#([^)]+)\)$/;

function parsePage(text: string): ResultsPage {
  const [head, ...parts] = text.trimEnd().split(/\n\n(?=<a id=")/);
  const [title, about, facts, table = '', ...rules] = head.split('\n\n');
  const [heads, rule, ...rows] = table.split('\n').map(cellsOf);
  return {
    top: [title, about],
    facts,
    columns: rule ? [heads, rule] : [],
    overview: new Map(rows.map((cells) => [LINK.exec(cells[0])?.[1] ?? cells[0], cells])),
    rules: rules.join('\n\n'),
    sections: new Map(parts.map((part) => [ANCHOR.exec(part)?.[1] as string, part])),
  };
}

/** Bars that belong to a text are escaped. */
const cellsOf = (line: string): string[] =>
  line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
