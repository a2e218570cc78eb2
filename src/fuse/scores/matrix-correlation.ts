// [coordinator] Do two symmetric matrices over owners go together? Rank correlation over pairs, against shuffled owners (Mantel's test).
import { expectShape } from '../../core/errors.ts';
import { RandomStream } from '../../core/random.ts';

/** How two matrices over the same owners go together. */
export interface MatrixCorrelation {
  /** Spearman's rank correlation over pairs i < j, from −1 to 1. NaN where one side is the same for all pairs. */
  correlation: number;
  /** 95 % of shuffles of the owners give a correlation from `low` to `high`. */
  low: number;
  high: number;
}

/** Seed and number of the shuffles. */
export interface MatrixCorrelationOptions {
  seed: number;
  /** Default 1000. */
  shuffles?: number | undefined;
}

const SHUFFLES = 1000;
const SHUFFLE_STREAM = 0x6d61_6e74;
const TAIL = 0.025;

/** Pairs that share an owner are not independent, which is why owners are shuffled, not pairs. a, b: [owner, owner] */
export function matrixCorrelation(
  a: ArrayLike<number>,
  b: ArrayLike<number>,
  owners: number,
  { seed, shuffles = SHUFFLES }: MatrixCorrelationOptions,
): MatrixCorrelation {
  expectShape('matrixCorrelation a', [a.length], [owners * owners]);
  expectShape('matrixCorrelation b', [b.length], [owners * owners]);
  const [first, second] = [rankedPairs(a, owners), rankedPairs(b, owners)];
  const order = Uint32Array.from({ length: owners }, (_, owner) => owner);
  const random = new RandomStream(seed, SHUFFLE_STREAM);
  const drawn = Float64Array.from({ length: shuffles }, () =>
    correlate(first, second, random.permutation(owners)),
  ).sort();
  const at = (share: number) => drawn[Math.round(share * (shuffles - 1))] ?? Number.NaN;
  return { correlation: correlate(first, second, order), low: at(TAIL), high: at(1 - TAIL) };
}

/** Whether shuffled owners go together as well as these. */
export const isUnrelated = ({ correlation, low, high }: MatrixCorrelation): boolean =>
  !(correlation < low || correlation > high);

/** Centred ranks of the pairs on both sides of the diagonal, equals sharing the mean of theirs. → [owner, owner] */
function rankedPairs(matrix: ArrayLike<number>, owners: number): Float64Array {
  const places: number[] = [];
  for (let i = 0; i < owners; i++) for (let j = i + 1; j < owners; j++) places.push(i * owners + j);
  places.sort((p, q) => matrix[p] - matrix[q]);
  const ranks = new Float64Array(owners * owners);
  const centre = (places.length - 1) / 2;
  for (let from = 0; from < places.length; ) {
    let to = from;
    while (to + 1 < places.length && matrix[places[to + 1]] === matrix[places[from]]) to++;
    for (let k = from; k <= to; k++) {
      const [i, j] = [Math.floor(places[k] / owners), places[k] % owners];
      const rank = (from + to) / 2 - centre;
      ranks[i * owners + j] = rank;
      ranks[j * owners + i] = rank;
    }
    from = to + 1;
  }
  return ranks;
}

/** Pearson's correlation of the ranks, the owners of `b` in the given order. */
function correlate(a: Float64Array, b: Float64Array, order: Uint32Array): number {
  const owners = order.length;
  let [product, squaresA, squaresB] = [0, 0, 0];
  for (let i = 0; i < owners; i++) {
    for (let j = i + 1; j < owners; j++) {
      const [x, y] = [a[i * owners + j], b[order[i] * owners + order[j]]];
      product += x * y;
      squaresA += x * x;
      squaresB += y * y;
    }
  }
  return product / Math.sqrt(squaresA * squaresB);
}
