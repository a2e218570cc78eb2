// How wide a table of the report would be on a phone: tables that would not fit are laid out as blocks there.
import { textWidth } from '../../base/text-width.ts';
import type { CellText, Column } from './report-cells.ts';

const TEXT = 14.4;
const SMALL = 13;
/** Left and right of a cell together. */
const PADDING = 14.4;

/** Pixels, with every text broken at every space and deviations on lines of their own. rows: [row, column] */
export function phoneWidth(columns: readonly Column[], rows: readonly (readonly CellText[])[]): number {
  const widths = columns.map(({ title, compared, numeric }, index) => {
    const cells = rows.map((row) => row[index]);
    const widest = (texts: readonly (string | undefined)[]) => Math.max(0, ...texts.map((text) => ofNumber(text)));
    const head = ofWords(title, SMALL);
    if (!numeric) return Math.max(head, ...cells.map(({ mean }) => ofWords(mean, TEXT))) + PADDING;
    const ours = widest(cells.flatMap(({ mean, deviation }) => [mean, spread(deviation)]));
    if (!compared) return Math.max(head, ours) + PADDING;
    const theirs = widest(cells.flatMap(({ paper, paperDeviation }) => [paper, spread(paperDeviation)]));
    const difference = Math.max(ofWords('difference', SMALL), widest(cells.map((cell) => cell.difference)));
    return Math.max(head, ours + theirs + difference + 2 * PADDING) + PADDING;
  });
  return widths.reduce((sum, width) => sum + width, 0);
}

const spread = (deviation: string | undefined): string | undefined => deviation && `± ${deviation}`;
const ofNumber = (text: string | undefined): number => (text ? textWidth({ fontSize: TEXT }, text) : 0);
const ofWords = (text: string, fontSize: number): number =>
  Math.max(...text.split(/\s+/).map((word) => textWidth({ fontSize }, word)));
