// Lays rows out as aligned columns of text: titles above, numbers to the right, a dash where there is no value.

export type TextCell = string | number | boolean | null | undefined;

export interface TextColumn<Row> {
  title: string;
  cell: (row: Row) => TextCell;
  /** Digits after the point. Default: none for whole numbers, three for others. */
  digits?: number;
}

const GAP = '  ';
const NOTHING = '–';
/** Letters that take two places in a terminal: East Asian wide ones and pictures. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const letters = new Intl.Segmenter();

/** The titles, then a line per row. A column whose cells are all numbers is aligned to the right. */
export function tableLines<Row>(columns: readonly TextColumn<Row>[], rows: readonly Row[]): string[] {
  const values = rows.map((row) => columns.map(({ cell }) => cell(row)));
  const isNumeric = columns.map((_, c) =>
    values.every((row) => typeof row[c] === 'number' || (row[c] ?? null) === null),
  );
  const texts = [
    columns.map(({ title }) => title),
    ...values.map((row) => row.map((value, c) => cellText(value, columns[c].digits))),
  ];
  const widths = columns.map((_, c) => texts.reduce((most, row) => Math.max(most, placesOf(row[c])), 0));
  return texts.map((row) =>
    row
      .map((text, c) => padded(text, widths[c], isNumeric[c]))
      .join(GAP)
      .trimEnd(),
  );
}

/** A line per fact, its name in front. Facts without a value are left out. */
export function factLines(facts: readonly (readonly [name: string, value: TextCell])[]): string[] {
  const known = facts.filter(([, value]) => value !== null && value !== undefined && value !== '');
  const width = known.reduce((most, [name]) => Math.max(most, placesOf(name)), 0);
  return known.map(([name, value]) => `${padded(name, width, false)}${GAP}${cellText(value)}`);
}

export const indented = (lines: readonly string[]): string[] => lines.map((line) => `${GAP}${line}`);

/** Control characters would move the cursor, so names that others chose are shown without them. */
function cellText(value: TextCell, digits?: number): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return NOTHING;
    return digits === undefined && Number.isInteger(value) ? String(value) : value.toFixed(digits ?? 3);
  }
  const text = (value ?? '').replace(/\p{Cc}+/gu, ' ').trim();
  return text === '' ? NOTHING : text;
}

function padded(text: string, width: number, toTheRight: boolean): string {
  const space = ' '.repeat(Math.max(0, width - placesOf(text)));
  return toTheRight ? space + text : text + space;
}

function placesOf(text: string): number {
  let places = 0;
  for (const { segment } of letters.segment(text)) places += WIDE.test(segment) ? 2 : 1;
  return places;
}
