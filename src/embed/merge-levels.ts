// [owner] Chooses which levels of an answer an owner keeps apart. Neighbouring levels are merged until whoever sees an answer recovers at most a
// stated share of the readings. Each time those two are merged that give away most beside what they tell of the label.

/** What merging looks at: an owner's training and validation windows. */
export interface AnsweredWindows {
  /** [sample, answer]: log odds */
  odds: Float32Array;
  /** Numbers in an answer: one per class but the first. */
  width: number;
  /** [sample] */
  labels: Int32Array;
  /** [sample]: whether it is in the validation part, on which readers are judged who have learned from the others */
  isHeldOut: readonly boolean[];
  /** [sample, time, variate]: the readings */
  windows: Float32Array;
  /** Time steps of a window. */
  length: number;
  variates: number;
}

/** Windows to come may give more away than those at hand, so merging aims at this part of the limit. */
const MARGIN = 0.8;
/** Of all readings of a window, so many are looked at, spread evenly. */
const READINGS = 16;
/** An answer must have been given this often on average before what it gives away of the same windows is believed. */
const FEWEST_PER_ANSWER = 10;
/** Nats of the label that count as nothing, so that merging levels which tell nothing is not divided by zero. */
const NO_INFORMATION = 1e-4;

/** Fewer cuts, [answer, cut]: a number whose cuts are all gone says nothing any more. `limit` is the share that may be recovered. */
export function mergeLevels(cuts: readonly number[][], of: AnsweredWindows, limit: number): number[][] {
  const reading = readingsOf(of);
  const finest = cuts.map((ends, c) => levelsOf(of, c, ends));
  let kept = cuts.map((ends) => ends.map(() => true));
  const judge = (choice: readonly boolean[][]) => {
    const codes = codesOf(finest, choice);
    return { share: recoverable(codes, of, reading), known: labelInformation(codes.whole, of) };
  };
  for (let now = judge(kept); now.share > MARGIN * limit; ) {
    let best: { choice: boolean[][]; judged: typeof now; worth: number } | undefined;
    for (const choice of withoutOne(kept)) {
      const judged = judge(choice);
      const worth = (now.share - judged.share) / (Math.max(0, now.known - judged.known) + NO_INFORMATION);
      if (!best || worth > best.worth) best = { choice, judged, worth };
    }
    if (!best) break;
    [kept, now] = [best.choice, best.judged];
  }
  return cuts.map((ends, c) => ends.filter((_, k) => kept[c][k]));
}

/** Every choice with one cut less. */
function* withoutOne(kept: readonly boolean[][]): Generator<boolean[][]> {
  for (const [c, row] of kept.entries()) {
    for (const k of row.keys()) {
      if (row[k]) yield kept.map((other, i) => (i === c ? other.map((is, j) => is && j !== k) : other));
    }
  }
}

function levelsOf({ odds, width }: AnsweredWindows, c: number, cuts: readonly number[]): Int32Array {
  return Int32Array.from({ length: odds.length / width }, (_, row) => {
    let level = 0;
    while (level < cuts.length && odds[row * width + c] >= cuts[level]) level++;
    return level;
  });
}

/** Numbers for answers: of every part of an answer, and of the whole of it. */
interface Codes {
  parts: Int32Array[];
  whole: Int32Array;
}

function codesOf(finest: readonly Int32Array[], kept: readonly boolean[][]): Codes {
  const parts = finest.map((levels, c) => {
    const merged = [0];
    for (const is of kept[c]) merged.push((merged.at(-1) as number) + Number(is));
    return levels.map((level) => merged[level]);
  });
  if (parts.length === 1) return { parts, whole: parts[0] };
  const numbers = new Map<string, number>();
  const whole = parts[0].map((_, row) => {
    const name = parts.map((levels) => levels[row]).join();
    const number = numbers.get(name) ?? numbers.size;
    numbers.set(name, number);
    return number;
  });
  return { parts, whole };
}

/** What readers are after, standardised: [sample, column], with the columns of each aim. */
interface Readings {
  values: Float64Array;
  columns: number;
  aims: number[][];
}

/** The mean of a window, its last reading, and readings spread over it. A column that never changes is left out. */
function readingsOf({ windows, length, variates }: AnsweredWindows): Readings {
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
function recoverable({ parts, whole }: Codes, { isHeldOut }: AnsweredWindows, reading: Readings): number {
  const shares = [lookedUp(whole, isHeldOut, reading)];
  for (const codes of parts.length > 1 ? [...parts, whole] : [whole]) {
    if (codes.length / (1 + largestOf(codes)) >= FEWEST_PER_ANSWER) shares.push(explained(codes, reading));
  }
  return Math.max(...shares);
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

/** Mutual information of answer and label, in nats. */
function labelInformation(codes: Int32Array, { labels }: AnsweredWindows): number {
  const [rows, columns] = [1 + largestOf(codes), 1 + largestOf(labels)];
  const both = new Float64Array(rows * columns);
  for (const [row, code] of codes.entries()) both[code * columns + labels[row]]++;
  const ofCode = new Float64Array(rows);
  const ofLabel = new Float64Array(columns);
  for (const [at, n] of both.entries()) {
    ofCode[Math.floor(at / columns)] += n;
    ofLabel[at % columns] += n;
  }
  let information = 0;
  for (const [at, n] of both.entries()) {
    const expected = (ofCode[Math.floor(at / columns)] * ofLabel[at % columns]) / codes.length;
    if (n > 0) information += (n / codes.length) * Math.log(n / expected);
  }
  return information;
}

const largestOf = (numbers: Int32Array): number => numbers.reduce((most, number) => Math.max(most, number), 0);
