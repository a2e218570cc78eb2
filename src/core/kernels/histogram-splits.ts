// Best split of one feature after another, for the samples of a tree's node: gradients are summed per bin, then every
// boundary between bins is weighed. The histogram lives in per-thread scratch memory and is never kept: with thousands
// of features it would not fit into any cache, and making it anew from the node's samples costs less than fetching it.
import { thread } from './thread';

/** Bin of missing values, after the 255 of values. */
const MISSING: i32 = 255;
/** A bin: gradient and hessian (f64 each); the counts (i32) follow after all bins. */
const COUNTS_AT: usize = 256 * 16;
/** Keeps quotients finite where a sum of hessians is 0. */
const TINY: f64 = 1e-15;

/** Bytes of scratch memory a thread needs. */
export function histogramScratch(): i32 {
  return 256 * 20;
}

/**
 * A split's gain is Σ g²/(h + λ) over both sides minus that of the whole, in scikit-learn's order of operations: nodes
 * of few samples have many splits of equal gain, and which of them comes first decides. For the features of task
 * `task`, `perTask` of them in the list `features` (indices): out[f] = (gain f64, bin i32, whether missing values go
 * left i32), gain −1 where no split is allowed. Values of bins up to `bin` go left. binned: u8 [feature, sample]; rows:
 * the node's `count` sample numbers; slopes: f64 [count, 2], gradient and hessian in the order of `rows`, with their
 * sums and g²/(h + λ) of these; binCounts: i32 [feature], bins of values; hasMissing: i32 [feature].
 */
export function bestSplits(
  task: i32, perTask: i32, listed: i32, features: usize, samples: i32, binned: usize, count: i32, rows: usize,
  slopes: usize, gradient: f64, hessian: f64, whole: f64, binCounts: usize, hasMissing: usize, l2: f64, leastSamples: i32,
  leastHessian: f64, out: usize, scratch: usize, scratchBytes: usize,
): void {
  const bins = scratch + <usize>thread * scratchBytes;
  const counts = bins + COUNTS_AT;
  const end = min(listed, (task + 1) * perTask);
  for (let f = task * perTask; f < end; f++) {
    const feature = <usize>load<i32>(features + (<usize>f << 2));
    const used = load<i32>(binCounts + (feature << 2));
    const missing = load<i32>(hasMissing + (feature << 2));
    fillHistogram(binned + feature * <usize>samples, count, rows, slopes, used, bins, counts);

    // From the left, missing values to the right; the last boundary parts them from all others.
    let bestGain: f64 = -1;
    let bestBin = 0;
    let missingLeft = 0;
    let sum = f64x2.splat(0);
    let n = 0;
    for (let bin = 0; bin < used - 1 + missing; bin++) {
      const own = load<i32>(counts + (<usize>bin << 2));
      // An empty bin's boundary parts the samples as the one before does.
      if (own == 0) continue;
      n += own;
      sum = f64x2.add(sum, v128.load(bins + (<usize>bin << 4)));
      if (n < leastSamples) continue;
      if (count - n < leastSamples) break;
      const g = f64x2.extract_lane(sum, 0);
      const h = f64x2.extract_lane(sum, 1);
      if (h < leastHessian) continue;
      if (hessian - h < leastHessian) break;
      const rest = gradient - g;
      const gain = g * (g / (h + l2 + TINY)) - whole + rest * (rest / (hessian - h + l2 + TINY));
      if (gain > bestGain && gain > 0) {
        bestGain = gain;
        bestBin = bin;
      }
    }
    if (missing) {
      // From the right, missing values to the left.
      sum = f64x2.splat(0);
      n = 0;
      for (let bin = used - 2; bin >= 0; bin--) {
        const right = <usize>bin + 1;
        const own = load<i32>(counts + (right << 2));
        if (own == 0) continue;
        n += own;
        sum = f64x2.add(sum, v128.load(bins + (right << 4)));
        if (n < leastSamples) continue;
        if (count - n < leastSamples) break;
        const g = f64x2.extract_lane(sum, 0);
        const h = f64x2.extract_lane(sum, 1);
        if (h < leastHessian) continue;
        if (hessian - h < leastHessian) break;
        const rest = gradient - g;
        const gain = rest * (rest / (hessian - h + l2 + TINY)) - whole + g * (g / (h + l2 + TINY));
        if (gain > bestGain && gain > 0) {
          bestGain = gain;
          bestBin = bin;
          missingLeft = 1;
        }
      }
    }
    const to = out + (<usize>f << 4);
    store<f64>(to, bestGain);
    store<i32>(to, bestBin, 8);
    store<i32>(to, missingLeft, 12);
  }
}

// @ts-ignore: decorator
@inline
function fillHistogram(
  column: usize, count: i32, rows: usize, slopes: usize, used: i32, bins: usize, counts: usize,
): void {
  memory.fill(bins, 0, <usize>used << 4);
  memory.fill(counts, 0, <usize>used << 2);
  v128.store(bins + (<usize>MISSING << 4), f64x2.splat(0));
  store<i32>(counts + (<usize>MISSING << 2), 0);
  const end = rows + (<usize>count << 2);
  for (; rows < end; rows += 4) {
    const bin = <usize>load<u8>(column + <usize>load<u32>(rows));
    const at = bins + (bin << 4);
    v128.store(at, f64x2.add(v128.load(at), v128.load(slopes)));
    const n = counts + (bin << 2);
    store<i32>(n, load<i32>(n) + 1);
    slopes += 16;
  }
}
