// How reports write numbers: ours with its deviation, the paper's, the difference and whether the two agree.
import type { Cell, Measured, ResultTable } from '../../figures/result.ts';
import type { ExperimentResult } from '../experiment.ts';

export const DASH = '–';
/** Digits after the point, where a figure does not say. */
const DIGITS = 3;

/** Whether ours and the paper's agree. It is `unjudged` where neither has a deviation, one is missing, or the data differs. */
export type Verdict = 'within' | 'beyond' | 'unjudged';

/** The rule of the verdict, stated under the overview, so that a reader can check it by hand. */
export const VERDICT_RULE =
  'A difference is ours minus the paper’s. The two agree (green) when it is at most our standard ' +
  'deviation plus the paper’s plus half a unit of the paper’s last printed digit.';

/** What the times of the overview are, stated below it. */
export const TIME_RULE =
  'Time is what training owners and rows took, added up, each as measured when it ran (owners on one thread each, rows on ' +
  'as many as the command was given). What an earlier command had finished counts as long as it took then.';

export interface Column {
  title: string;
  /** Whether the paper has figures here too, so that ours, the paper's and the difference take a column each. */
  compared: boolean;
  /** Whether the column holds numbers. */
  numeric: boolean;
  /** Digits after the point that the paper prints in this column. */
  paperDigits: number;
}

/** A cell as text. `paper` and `difference` are shown in compared columns only. */
export interface CellText {
  mean: string;
  deviation?: string | undefined;
  paper: string;
  paperDeviation?: string | undefined;
  difference: string;
  verdict: Verdict;
}

export function columnsOf({ columns, rows }: ResultTable): Column[] {
  return columns.map((title, index) => {
    const measured = rows.map((row) => row[index]).filter((cell) => typeof cell === 'object');
    const printed = measured.map(({ paper }) => paper).filter((paper) => paper !== undefined);
    return {
      title,
      compared: printed.some(Number.isFinite),
      numeric: measured.length > 0,
      paperDigits: Math.max(0, ...printed.map(digitsOf)),
    };
  });
}

export function cellText(cell: Cell | undefined, { paperDigits }: Pick<Column, 'paperDigits'>): CellText {
  if (typeof cell !== 'object') {
    return { mean: cell ?? '', paper: DASH, difference: DASH, verdict: 'unjudged' };
  }
  const { mean, deviation, paper = Number.NaN, paperDeviation, digits = DIGITS } = cell;
  const isNumber = (value: number | undefined): value is number => Number.isFinite(value);
  return {
    mean: formatNumber(mean, digits),
    deviation: isNumber(mean) && isNumber(deviation) ? formatNumber(deviation, digits) : undefined,
    paper: formatNumber(paper, Math.min(paperDigits, digits)),
    paperDeviation: isNumber(paper) && isNumber(paperDeviation) ? formatNumber(paperDeviation, digits) : undefined,
    difference: formatDifference(mean - paper, digits),
    verdict: verdictOf(cell, paperDigits),
  };
}

/** Counts the figures that have a verdict, and those of them that agree. */
export function agreement({ tables }: Pick<ExperimentResult, 'tables'>): { judged: number; within: number } {
  const verdicts = tables.flatMap((table) => {
    const columns = columnsOf(table);
    return table.rows.flatMap((row) => columns.map((column, index) => cellText(row[index], column).verdict));
  });
  const count = (wanted: Verdict) => verdicts.filter((verdict) => verdict === wanted).length;
  return { judged: count('within') + count('beyond'), within: count('within') };
}

export function agreementText({ judged, within }: { judged: number; within: number }): string {
  return judged === 0 ? DASH : `${within} of ${judged}`;
}

/** Writes a number with a true minus, and a dash for what is no number. */
export function formatNumber(value: number, digits: number): string {
  if (!Number.isFinite(value)) return DASH;
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** Writes a difference with its sign, unless it rounds to zero. */
export function formatDifference(value: number, digits: number): string {
  const text = formatNumber(value, digits);
  return value > 0 && Number(text) !== 0 && text !== DASH ? `+${text}` : text;
}

export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return DASH;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const minutes = Math.round(seconds / 60);
  if (seconds < 600) return `${Math.floor(Math.round(seconds) / 60)} min ${Math.round(seconds) % 60} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export const formatSeeds = (seeds: number): string => (seeds === 1 ? '1 seed' : `${seeds} seeds`);

/** Judges by the digits that are shown, so that a reader who checks by hand comes to the same. */
function verdictOf(
  { mean, deviation, paper, paperDeviation, otherData, digits = DIGITS }: Measured,
  paperDigits: number,
): Verdict {
  if (otherData || paper === undefined || !Number.isFinite(mean - paper)) return 'unjudged';
  const shown = (value = 0) => (Number.isFinite(value) ? Math.round(value * 10 ** digits) : 0);
  const rounding = 0.5 * 10 ** (digits - Math.min(paperDigits, digits));
  if (Math.abs(shown(mean - paper)) <= shown(deviation) + shown(paperDeviation) + rounding) return 'within';
  return deviation === undefined && paperDeviation === undefined ? 'unjudged' : 'beyond';
}

const digitsOf = (value: number): number => /\.(\d+)$/.exec(String(value))?.[1].length ?? 0;
