// [owner] Rows of numbers, as the attacks of an audit see embeddings and windows: picked, standardised, scored.

/** [row, width] */
export interface Rows {
  values: Float64Array;
  width: number;
}

export const rowCount = ({ values, width }: Rows): number => values.length / width;

export function rowsOf(values: ArrayLike<number>, width: number): Rows {
  return { values: Float64Array.from(values), width };
}

/** The rows of these numbers, in their order. */
export function pickRows({ values, width }: Rows, rows: ArrayLike<number>): Rows {
  const picked = new Float64Array(rows.length * width);
  for (let i = 0; i < rows.length; i++) picked.set(values.subarray(rows[i] * width, (rows[i] + 1) * width), i * width);
  return { values: picked, width };
}

/** The columns from `from` up to, not including, `to`. */
export function pickColumns({ values, width }: Rows, from: number, to: number): Rows {
  const picked = new Float64Array((values.length / width) * (to - from));
  for (let row = 0; row < values.length / width; row++) {
    picked.set(values.subarray(row * width + from, row * width + to), row * (to - from));
  }
  return { values: picked, width: to - from };
}

/** Mean and deviation per column. A constant column has deviation 0, and is left at 0 by `standardise`. */
export interface Columns {
  mean: Float64Array;
  deviation: Float64Array;
}

export function columnsOf(rows: Rows): Columns {
  const [count, { values, width }] = [rowCount(rows), rows];
  const mean = new Float64Array(width);
  const square = new Float64Array(width);
  for (let at = 0; at < values.length; at++) mean[at % width] += values[at] / count;
  for (let at = 0; at < values.length; at++) square[at % width] += (values[at] - mean[at % width]) ** 2 / count;
  return { mean, deviation: square.map(Math.sqrt) };
}

export function standardise({ values, width }: Rows, { mean, deviation }: Columns): Rows {
  const scaled = values.map((value, at) => {
    const spread = deviation[at % width];
    return spread > 0 ? (value - mean[at % width]) / spread : 0;
  });
  return { values: scaled, width };
}

/** Numbers that differ by less than this part of themselves are taken for the same. */
const ROUNDING = 1e-9;

/** How well a guess hits the truth, over all columns. */
export interface Recovery {
  /** Share of the variance that is recovered: 1 is everything, 0 is what guessing the mean gives; never below 0. */
  share: number;
  /** Typical error (root mean square), in the reading's unit. */
  error: number;
  /** The typical error of whoever guesses the mean. */
  guess: number;
}

/** `mean` is per column, what an attacker would guess who knows nothing of the sample. Columns without variance are left out. */
export function recovered(truth: Rows, guessed: Rows, mean: Float64Array): Recovery {
  const { width, values } = truth;
  const [left, all] = [new Float64Array(width), new Float64Array(width)];
  for (let at = 0; at < values.length; at++) {
    left[at % width] += (values[at] - guessed.values[at]) ** 2;
    all[at % width] += (values[at] - mean[at % width]) ** 2;
  }
  const count = rowCount(truth);
  // What a constant column is away from its mean is rounding, which nobody can recover.
  const live = [...all.keys()].filter((column) => all[column] > count * (ROUNDING * mean[column]) ** 2);
  const average = (of: (column: number) => number) =>
    live.length === 0 ? 0 : live.reduce((sum, column) => sum + of(column), 0) / live.length;
  return {
    share: average((column) => Math.max(0, 1 - left[column] / all[column])),
    error: Math.sqrt(average((column) => left[column] / count)),
    guess: Math.sqrt(average((column) => all[column] / count)),
  };
}
