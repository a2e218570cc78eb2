// [coordinator] Is one model better than another, or is it chance? Difference of F1 with a paired bootstrap interval over samples.
import { expectArgument, expectShape } from '../../core/errors.ts';
import { RandomStream } from '../../core/random.ts';
import { f1Score } from './confusion.ts';

/** A difference of F1 and what chance could make of it. */
export interface PairedDifference {
  /** F1 of the first minus F1 of the second, each the mean over its fits. */
  difference: number;
  /** 95 % of resampled test parts give a difference from `low` to `high`. */
  low: number;
  high: number;
}

/** Seed and number of the resampled test parts. */
export interface PairedOptions {
  seed: number;
  /** Test parts drawn anew, with replacement. Default 2000. */
  resamples?: number | undefined;
}

const RESAMPLES = 2000;
const RESAMPLE_STREAM = 0x7061_6972;
const TAIL = 0.025;

/**
 * Both models meet the same resampled test parts, so what makes a part easy or hard for both cancels out. The interval covers
 * the choice of samples, not that of fits.
 *
 * first, second: per fit the predicted class of each sample [sample], labels: [sample]
 */
export function pairedDifference(
  first: readonly ArrayLike<number>[],
  second: readonly ArrayLike<number>[],
  labels: ArrayLike<number>,
  classes: number,
  { seed, resamples = RESAMPLES }: PairedOptions,
): PairedDifference {
  expectArgument(first.length > 0 && second.length > 0, 'pairedDifference', 'must get at least one fit of each', 0);
  for (const fit of [...first, ...second]) expectShape('pairedDifference fit', [fit.length], [labels.length]);
  const rows = Uint32Array.from({ length: labels.length }, (_, row) => row);
  const difference = differenceOn(rows, first, second, labels, classes);
  if (labels.length === 0) return { difference, low: Number.NaN, high: Number.NaN };
  const random = new RandomStream(seed, RESAMPLE_STREAM);
  const drawn = new Float64Array(resamples);
  for (let i = 0; i < resamples; i++) {
    for (let row = 0; row < rows.length; row++) rows[row] = random.integer(labels.length);
    drawn[i] = differenceOn(rows, first, second, labels, classes);
  }
  drawn.sort();
  return { difference, low: quantile(drawn, TAIL), high: quantile(drawn, 1 - TAIL) };
}

/** Whether the interval holds zero: then the samples cannot tell the two apart. */
export const isWithinChance = ({ low, high }: PairedDifference): boolean => !(low > 0 || high < 0);

function differenceOn(
  rows: Uint32Array,
  first: readonly ArrayLike<number>[],
  second: readonly ArrayLike<number>[],
  labels: ArrayLike<number>,
  classes: number,
): number {
  const truth = pick(labels, rows);
  const mean = (fits: readonly ArrayLike<number>[]) =>
    fits.reduce((sum, fit) => sum + f1Score(pick(fit, rows), truth, classes), 0) / fits.length;
  return mean(first) - mean(second);
}

function pick(values: ArrayLike<number>, rows: Uint32Array): Int32Array {
  const picked = new Int32Array(rows.length);
  for (let i = 0; i < rows.length; i++) picked[i] = values[rows[i]];
  return picked;
}

/** Linear between neighbours, as numpy does it. `sorted`: ascending */
function quantile(sorted: Float64Array, share: number): number {
  const at = share * (sorted.length - 1);
  const below = Math.floor(at);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}
