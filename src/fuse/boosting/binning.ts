// [coordinator] Quantile bins of features for boosted trees: at most 255 per feature, cut from the training part.

/** Bin of missing values; those of values lie below it. */
export const MISSING_BIN = 255;

export interface Bins {
  /** Of each feature, ascending: a value belongs to the first bin whose threshold is at least as large. */
  thresholds: Float32Array[];
  /** [feature, sample] */
  binned: Uint8Array;
  /** [feature]: whether a sample lacks it */
  hasMissing: Uint8Array;
}

/** values: [sample, feature], NaN where missing */
export function binFeatures(values: Float32Array, features: number): Bins {
  const samples = values.length / features;
  const binned = new Uint8Array(values.length);
  const hasMissing = new Uint8Array(features);
  const thresholds: Float32Array[] = [];
  const column = new Float32Array(samples);
  for (let feature = 0; feature < features; feature++) {
    for (let s = 0; s < samples; s++) column[s] = values[s * features + feature];
    const known = column.filter((value) => !Number.isNaN(value)).sort();
    hasMissing[feature] = known.length < samples ? 1 : 0;
    const cuts = featureThresholds(known);
    thresholds.push(cuts);
    for (let s = 0; s < samples; s++) binned[feature * samples + s] = binOf(column[s], cuts);
  }
  return { thresholds, binned, hasMissing };
}

/**
 * Where ascending `known` values are cut: between every two different ones if they are few, else at the quantiles
 * 1/255 … 254/255, as scikit-learn cuts them.
 */
export function featureThresholds(known: Float32Array): Float32Array {
  const distinct = known.filter((value, i) => i === 0 || value !== known[i - 1]);
  const cuts =
    distinct.length <= MISSING_BIN
      ? Float32Array.from(distinct.subarray(1), (value, i) => between(distinct[i], value))
      : Float32Array.from({ length: MISSING_BIN - 1 }, (_, i) => quantile(known, i + 1));
  return cuts.filter((value, i) => i === 0 || value !== cuts[i - 1]);
}

/** Smallest value that part/255 of all values do not exceed; midway to the next where it is exactly that many. */
function quantile(known: Float32Array, part: number): number {
  const below = Math.floor((part * known.length) / MISSING_BIN);
  const isExact = (part * known.length) % MISSING_BIN === 0;
  return isExact ? between(known[below - 1], known[below]) : known[below];
}

/** The midpoint, as a float32 that is at least `low` and, if they differ, below `high`: what is stored must cut the same. */
function between(low: number, high: number): number {
  const middle = Math.fround(low + (high - low) / 2);
  return low < high && middle >= high ? low : Math.max(low, middle);
}

function binOf(value: number, thresholds: Float32Array): number {
  if (Number.isNaN(value)) return MISSING_BIN;
  let [low, high] = [0, thresholds.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value <= thresholds[middle]) high = middle;
    else low = middle + 1;
  }
  return low;
}
