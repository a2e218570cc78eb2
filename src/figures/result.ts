// What a report lays out: numbers with what is known of them, tables, and figures as Vega-Lite specifications.
import type { TopLevelSpec } from 'vega-lite';

/** Stands at every table and figure made from simulated data. */
export const SIMULATED = 'simulated data';

/** A number with what is known of it. */
export interface Measured {
  mean: number;
  /** Standard deviation over seeds. */
  deviation?: number;
  /** The same figure in the paper, where the data is the paper's. */
  paper?: number;
  paperDeviation?: number;
  /** The paper's figure is of other data, such as more sensors: shown for orientation, agreement not judged. */
  otherData?: boolean;
  /** Digits after the point. Default 3. */
  digits?: number;
}

export type Cell = string | Measured;

export interface ResultTable {
  title: string;
  columns: string[];
  rows: Cell[][];
  /** Below the table. */
  note?: string;
}

export interface ResultFigure {
  /** File name of the SVG, without its ending. */
  name: string;
  title: string;
  caption: string;
  /** Vega-Lite, without colours of background or text: the report sets them. */
  specification: TopLevelSpec;
  /** The same for a phone, where laying it out anew takes more than narrower panels. */
  narrow?: TopLevelSpec;
}
