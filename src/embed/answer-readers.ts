// [owner] What readers recover of an owner's windows from its rounded answers. Merging asks this again and again, on the owner's own training and
// validation windows; `f3 owner audit` attacks what came of it with readers of its own.

/** An owner's windows with the readings behind them. */
export interface ReadWindows {
  /** [sample]: whether it is in the validation part, on which readers are judged who have learned from the others */
  isHeldOut: readonly boolean[];
  /** [sample, time, variate]: the readings */
  windows: Float32Array;
  /** Time steps of a window. */
  length: number;
  variates: number;
}

/** Of all readings of a window, so many are looked at, spread evenly. */
const READINGS = 16;
/** An answer must have been given this often on average before what it gives away of the same windows is believed. */
const FEWEST_PER_ANSWER = 10;
/** A reader of similar answers goes by the windows of so many of them. */
const NEAREST = 5;
/** It is asked for so many windows, spread evenly. */
const MOST_ASKED = 400;

/** What readers are after, standardised: [sample, column], with the columns of each aim. */
export interface Readings {
  values: Float64Array;
  columns: number;
  aims: number[][];
}

/** The mean of a window, its last reading, and readings spread over it. A column that never changes is left out. */
export function readingsOf({ windows, length, variates }: ReadWindows): Readings {
  const size = length * variates;
  const count = windows.length / size;
  const steps = Math.max(1, Math.ceil(size / READINGS));
  const single = Array.from({ length: Math.ceil(size / steps) }, (_, i) => i * steps);
  const means = Array.from({ length: variates }, (_, v) => v);
  const wanted: [aim: number, of: (row: number) => number][] = [
    ...means.map((v): [number, (row: number) => number] => [
      0,
      (row) => {
        let sum = 0;
        for (let t = 0; t < length; t++) sum += windows[row * size + t * variates + v];
        return sum / length;
      },
    ]),
    ...means.map((v): [number, (row: number) => number] => [1, (row) => windows[(row + 1) * size - variates + v]]),
    ...single.map((at): [number, (row: number) => number] => [2, (row) => windows[row * size + at]]),
  ];
  const live: { aim: number; values: Float64Array }[] = [];
  for (const [aim, of] of wanted) {
    const values = Float64Array.from({ length: count }, (_, row) => of(row));
    const mean = values.reduce((sum, value) => sum + value / count, 0);
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2 / count, 0));
    if (deviation > 1e-9 * Math.abs(mean))
      live.push({ aim, values: values.map((value) => (value - mean) / deviation) });
  }
  const columns = live.length;
  const values = new Float64Array(count * columns);
  for (const [column, one] of live.entries()) {
    for (let row = 0; row < count; row++) values[row * columns + column] = one.values[row];
  }
  const aims = [0, 1, 2].map((aim) => [...live.keys()].filter((column) => live[column].aim === aim));
  return { values, columns, aims: aims.filter((list) => list.length > 0) };
}

/**
 * The largest share of an aim's variance that is recovered by whoever knows the mean reading behind each answer: nobody who sees one answer
 * can do better in the mean square. Judged on validation windows after learning from the others, and on all windows at once.
 */
export function readByTable(codes: Int32Array, { isHeldOut }: ReadWindows, reading: Readings): number {
  const share = lookedUp(codes, isHeldOut, reading);
  const isSeenOften = codes.length / (1 + largestOf(codes)) >= FEWEST_PER_ANSWER;
  return isSeenOften ? Math.max(share, explained(codes, reading)) : share;
}

/**
 * The same by a reader who goes by the windows of the most similar answers, those of the same answer first. Where an answer has several
 * numbers, hardly two windows share all of them: a table of whole answers knows nothing then, and this reader still does. Each window is
 * guessed from all the others.
 */
export function readBySimilarity(parts: readonly Int32Array[], reading: Readings): number {
  const { values, columns } = reading;
  const rows = parts[0].length;
  const steps = parts.map((levels) => 1 / Math.max(1, largestOf(levels)));
  const count = Math.min(rows, MOST_ASKED);
  const asked = Array.from({ length: count }, (_, i) => Math.floor((i * rows) / count));
  const distances = new Float64Array(rows);
  const [left, whole] = [new Float64Array(columns), new Float64Array(columns)];
  for (const row of asked) {
    distances.fill(0);
    for (const [c, levels] of parts.entries()) {
      for (let other = 0; other < rows; other++) distances[other] += ((levels[other] - levels[row]) * steps[c]) ** 2;
    }
    distances[row] = Number.POSITIVE_INFINITY;
    const farthest = smallest(distances, NEAREST);
    const guess = new Float64Array(columns);
    let near = 0;
    for (let other = 0; other < rows; other++) {
      if (distances[other] > farthest || other === row) continue;
      near++;
      for (let column = 0; column < columns; column++) guess[column] += values[other * columns + column];
    }
    for (let column = 0; column < columns; column++) {
      const value = values[row * columns + column];
      left[column] += (value - guess[column] / Math.max(1, near)) ** 2;
      whole[column] += value ** 2; // readings are standardised, so their mean is 0
    }
  }
  return largest(reading, (column) => (whole[column] > 0 ? 1 - left[column] / whole[column] : 0));
}

/** The `count`-th smallest of the numbers, or the largest where there are fewer. */
function smallest(numbers: Float64Array, count: number): number {
  const least = new Float64Array(Math.min(count, numbers.length)).fill(Number.POSITIVE_INFINITY);
  for (const number of numbers) {
    if (number >= least[least.length - 1]) continue;
    let at = least.length - 1;
    for (; at > 0 && least[at - 1] > number; at--) least[at] = least[at - 1];
    least[at] = number;
  }
  return least[least.length - 1];
}

function lookedUp(codes: Int32Array, isHeldOut: readonly boolean[], reading: Readings): number {
  const known = sums(codes, reading, (row) => !isHeldOut[row]);
  const { values, columns } = reading;
  const all = known.count.reduce((sum, n) => sum + n, 0);
  const mean = Float64Array.from({ length: columns }, (_, column) => {
    let sum = 0;
    for (let code = 0; code < known.count.length; code++) sum += known.sum[code * columns + column];
    return all === 0 ? 0 : sum / all;
  });
  const [left, whole] = [new Float64Array(columns), new Float64Array(columns)];
  for (const [row, code] of codes.entries()) {
    if (!isHeldOut[row]) continue;
    for (let column = 0; column < columns; column++) {
      const value = values[row * columns + column];
      const guess = known.count[code] > 0 ? known.sum[code * columns + column] / known.count[code] : mean[column];
      left[column] += (value - guess) ** 2;
      whole[column] += (value - mean[column]) ** 2;
    }
  }
  return largest(reading, (column) => (whole[column] > 0 ? 1 - left[column] / whole[column] : 0));
}

/** The correlation ratio: readings are standardised, so what the means behind answers vary is a share. */
function explained(codes: Int32Array, reading: Readings): number {
  const { count, sum } = sums(codes, reading, () => true);
  const { columns } = reading;
  return largest(reading, (column) => {
    let between = 0;
    for (let code = 0; code < count.length; code++) {
      if (count[code] > 0) between += sum[code * columns + column] ** 2 / count[code];
    }
    return between / codes.length;
  });
}

function sums(codes: Int32Array, { values, columns }: Readings, is: (row: number) => boolean) {
  const size = 1 + largestOf(codes);
  const [count, sum] = [new Float64Array(size), new Float64Array(size * columns)];
  for (const [row, code] of codes.entries()) {
    if (!is(row)) continue;
    count[code]++;
    for (let column = 0; column < columns; column++) sum[code * columns + column] += values[row * columns + column];
  }
  return { count, sum };
}

function largest({ aims }: Readings, share: (column: number) => number): number {
  const means = aims.map((list) => list.reduce((sum, column) => sum + Math.max(0, share(column)), 0) / list.length);
  return Math.max(0, ...means);
}

/** The largest of the numbers, or 0. */
export const largestOf = (numbers: Int32Array): number => numbers.reduce((most, number) => Math.max(most, number), 0);
