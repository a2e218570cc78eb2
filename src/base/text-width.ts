// Estimates the width of a line of text without a browser, for the layout of figures.

/** Widths in em of a common sans-serif; system fonts differ by some per cent, so these lean to the wide side. */
const WIDTHS: [RegExp, number][] = [
  [/[ijlItf.,:;'|!()[\]\s]/u, 0.36],
  [/[mwMW%@]/u, 0.92],
  [/[A-Z0-9+−–=<>±]/u, 0.66],
];
const OTHER = 0.6;
const BOLD = 1.08;

interface TextItem {
  fontSize?: number;
  fontWeight?: number | string;
  /** The width at which longer lines are cut off; 0 for none. */
  limit?: number;
}

/** The width in pixels. */
export function textWidth({ fontSize = 11, fontWeight, limit = 0 }: TextItem, line: unknown): number {
  const text = line === undefined || line === null ? '' : String(line).trim();
  const em = Array.from(text, (letter) => WIDTHS.find(([letters]) => letters.test(letter))?.[1] ?? OTHER);
  const bold = fontWeight === 'bold' || Number(fontWeight) >= 600 ? BOLD : 1;
  const width = em.reduce((sum, part) => sum + part, 0) * fontSize * bold;
  return limit > 0 ? Math.min(width, limit) : width;
}
