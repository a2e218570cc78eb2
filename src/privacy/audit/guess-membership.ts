// [owner] Shokri et al. 2017 (membership inference): do embeddings tell which samples the local model was trained on?
import { RandomStream } from '../../core/random.ts';
import { fitLine } from './ridge.ts';
import { pickRows, type Rows, rowCount } from './rows.ts';

/** How well samples of the training part are told from others. */
export interface MembershipGuess {
  /** Chance that a training sample looks more like one than another sample does: .5 is a coin. */
  auc: number;
  /** Samples on both sides that were judged. */
  judged: number;
}

const FEWEST = 10;

/**
 * The attacker knows of half of the samples on which side they are, and sees embeddings, their squares and, where votes were
 * sent, how sure the model was. Undefined where there are too few samples to say anything.
 */
export function guessMembership(
  embeddings: Rows,
  train: readonly number[],
  others: readonly number[],
  seed: number,
  votes?: Rows,
): MembershipGuess | undefined {
  const each = Math.min(train.length, others.length);
  if (each < 2 * FEWEST) return undefined;
  const random = new RandomStream(seed, 2);
  const some = (rows: readonly number[]) =>
    Array.from(random.permutation(rows.length).subarray(0, each), (i) => rows[i]);
  const [inside, outside] = [some(train), some(others)];
  const half = Math.floor(each / 2);
  const features = featuresOf(embeddings, votes);
  const known = [...inside.slice(0, half), ...outside.slice(0, half)];
  const sides = Float64Array.from(known, (_, i) => (i < half ? 1 : 0));
  // Rows are shuffled, because the attacker keeps the first ones back to choose its penalty.
  const order = random.permutation(known.length);
  const attacker = fitLine(
    pickRows(
      features,
      Array.from(order, (i) => known[i]),
    ),
    { values: Float64Array.from(order, (i) => sides[i]), width: 1 },
  );
  const scores = (rows: readonly number[]) => attacker(pickRows(features, rows)).values;
  const [high, low] = [scores(inside.slice(half)), scores(outside.slice(half))];
  return { auc: areaUnder(high, low), judged: high.length + low.length };
}

function featuresOf(embeddings: Rows, votes: Rows | undefined): Rows {
  const [count, d] = [rowCount(embeddings), embeddings.width];
  const extra = votes ? 1 : 0;
  const width = 2 * d + extra;
  const values = new Float64Array(count * width);
  for (let row = 0; row < count; row++) {
    for (let k = 0; k < d; k++) {
      const value = embeddings.values[row * d + k];
      values[row * width + k] = value;
      values[row * width + d + k] = value * value;
    }
    if (votes)
      values[row * width + 2 * d] = Math.max(...votes.values.subarray(row * votes.width, (row + 1) * votes.width));
  }
  return { values, width };
}

/** Mann, Whitney: the share of pairs in which the first is larger; ties count half. */
function areaUnder(high: Float64Array, low: Float64Array): number {
  let sum = 0;
  for (const one of high) for (const other of low) sum += one > other ? 1 : one === other ? 0.5 : 0;
  return sum / (high.length * low.length);
}
