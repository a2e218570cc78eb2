// What a report lays out: numbers with what is known of them, tables, and figures as Vega-Lite specifications.
import type { TopLevelSpec } from 'vega-lite';

/** The note at every table and figure that was made from simulated data. */
export const SIMULATED = 'simulated data';

/** A number with what is known of it. */
export interface Measured {
  mean: number;
  /** Standard deviation over seeds. */
  deviation?: number | undefined;
  /** The same figure in the paper. */
  paper?: number | undefined;
  paperDeviation?: number | undefined;
  /** Whether the paper's figure is of other data, such as more sensors: it is shown for orientation and not judged. */
  otherData?: boolean;
  /** Digits after the point; 3 by default. */
  digits?: number;
}

export type Cell = string | Measured;

export interface ResultTable {
  title: string;
  columns: string[];
  rows: Cell[][];
  /** A text to stand below the table. */
  note?: string;
}

export interface ResultFigure {
  /** File name of the SVG, without its ending. */
  name: string;
  title: string;
  caption: string;
  /** What to draw, in Vega-Lite, without colours of background or text: the report sets them. */
  specification: TopLevelSpec;
  /** The same for a phone, where laying it out anew takes more than narrower panels. */
  narrow?: TopLevelSpec;
}
