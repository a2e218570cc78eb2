// [owner] What embeddings say about a class that somebody is curious about: the label, or any attribute of a sample.
import { RandomStream } from '../../core/random.ts';
import { fitLine } from './ridge.ts';
import { columnsOf, pickRows, type Rows, rowCount, standardise } from './rows.ts';

/** How well a class is guessed; all are accuracies on samples that the attacker has not seen. */
export interface ClassGuess {
  /** What is guessed. */
  name: string;
  classes: number;
  /** Whoever always says the commonest class. */
  commonest: number;
  /** A straight line through embeddings, with so many known samples per class. */
  fewLabels: { perClass: number; accuracy: number }[];
  /** Embeddings in as many heaps as there are classes, each named by five known samples per class. */
  clustering: number;
}

/** Known samples per class, from few to more. */
export const FEW_LABELS = [1, 5, 20];
const NAMED_BY = 5;
const K_MEANS_ROUNDS = 30;
const RESTARTS = 5;

/** `known` and `test` are rows of `embeddings`; `labels`: [row], −1 where unknown. */
export function guessClasses(
  name: string,
  embeddings: Rows,
  labels: ArrayLike<number>,
  { known, test }: { known: readonly number[]; test: readonly number[] },
  seed: number,
): ClassGuess {
  const classes = 1 + [known, test].flat().reduce((most, row) => Math.max(most, labels[row]), -1);
  const scaled = standardise(embeddings, columnsOf(pickRows(embeddings, known)));
  const seen = test.filter((row) => labels[row] >= 0);
  const accuracy = (guess: (row: number) => number) =>
    seen.filter((row) => guess(row) === labels[row]).length / Math.max(1, seen.length);
  const counts = new Array<number>(classes).fill(0);
  for (const row of known) if (labels[row] >= 0) counts[labels[row]]++;
  const commonest = counts.indexOf(Math.max(...counts));
  const fewLabels = FEW_LABELS.map((perClass) => {
    const pairs = firstOfEach(known, labels, classes, perClass);
    const targets = new Float64Array(pairs.length * classes);
    for (const [i, row] of pairs.entries()) targets[i * classes + labels[row]] = 1;
    const scores = fitLine(pickRows(scaled, pairs), { values: targets, width: classes })(pickRows(scaled, seen));
    const guesses = seen.map((_, i) => largest(scores.values.subarray(i * classes, (i + 1) * classes)));
    const right = guesses.filter((guess, i) => guess === labels[seen[i]]).length;
    return { perClass, accuracy: right / Math.max(1, seen.length) };
  });
  const heaps = kMeans(scaled, classes, seed);
  const names = nameHeaps(heaps, firstOfEach(known, labels, classes, NAMED_BY), labels, classes, commonest);
  return {
    name,
    classes,
    commonest: accuracy(() => commonest),
    fewLabels,
    clustering: accuracy((row) => names[heaps[row]]),
  };
}

function firstOfEach(rows: readonly number[], labels: ArrayLike<number>, classes: number, count: number): number[] {
  const left = new Array<number>(classes).fill(count);
  return rows.filter((row) => labels[row] >= 0 && left[labels[row]]-- > 0);
}

function nameHeaps(
  heaps: Int32Array,
  named: readonly number[],
  labels: ArrayLike<number>,
  classes: number,
  otherwise: number,
): number[] {
  return Array.from({ length: classes }, (_, heap) => {
    const votes = new Float64Array(classes);
    for (const row of named) if (heaps[row] === heap) votes[labels[row]]++;
    return votes.some((vote) => vote > 0) ? largest(votes) : otherwise;
  });
}

/** Lloyd 1982, the best of a few starts (k-means++, Arthur, Vassilvitskii 2007). Gives the heap of each row. */
function kMeans(rows: Rows, heaps: number, seed: number): Int32Array {
  const random = new RandomStream(seed, 1);
  let best: { cost: number; heapOf: Int32Array } = {
    cost: Number.POSITIVE_INFINITY,
    heapOf: new Int32Array(rowCount(rows)),
  };
  for (let start = 0; start < RESTARTS; start++) {
    const found = oneKMeans(rows, heaps, random);
    if (found.cost < best.cost) best = found;
  }
  return best.heapOf;
}

function oneKMeans(rows: Rows, heaps: number, random: RandomStream): { cost: number; heapOf: Int32Array } {
  const [count, { values, width }] = [rowCount(rows), rows];
  const distance = (row: number, centre: Float64Array) => {
    let square = 0;
    for (let k = 0; k < width; k++) square += (values[row * width + k] - centre[k]) ** 2;
    return square;
  };
  const rowAt = (row: number) => values.slice(row * width, (row + 1) * width);
  const centres = [rowAt(random.integer(count))];
  const nearest = Float64Array.from({ length: count }, (_, row) => distance(row, centres[0]));
  while (centres.length < heaps) {
    let left = random.uniform() * nearest.reduce((sum, value) => sum + value, 0);
    let next = 0;
    while (next < count - 1 && left > nearest[next]) left -= nearest[next++];
    const centre = rowAt(next);
    centres.push(centre);
    for (let row = 0; row < count; row++) nearest[row] = Math.min(nearest[row], distance(row, centre));
  }
  const heapOf = new Int32Array(count);
  let cost = Number.POSITIVE_INFINITY;
  for (let round = 0; round < K_MEANS_ROUNDS; round++) {
    const before = cost;
    cost = 0;
    const sums = centres.map(() => new Float64Array(width));
    const sizes = new Float64Array(heaps);
    for (let row = 0; row < count; row++) {
      const distances = centres.map((centre) => distance(row, centre));
      heapOf[row] = distances.indexOf(Math.min(...distances));
      cost += distances[heapOf[row]];
      sizes[heapOf[row]]++;
      for (let k = 0; k < width; k++) sums[heapOf[row]][k] += values[row * width + k];
    }
    if (cost >= before) break;
    for (const [heap, sum] of sums.entries()) if (sizes[heap] > 0) centres[heap] = sum.map((v) => v / sizes[heap]);
  }
  return { cost, heapOf };
}

function largest(values: ArrayLike<number>): number {
  let best = 0;
  for (let i = 1; i < values.length; i++) if (values[i] > values[best]) best = i;
  return best;
}
