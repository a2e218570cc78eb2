// Softmax over the last axis and the cross-entropy of its logarithm, shifted by each row's maximum.
import { madd } from './madd';
import { exp, log, sumLanes } from './math';
import { keepUpTo, storeUpTo } from './store';

/** Maximum of the row that `softmaxRow` saw last. */
let rowMaximum: f32 = 0;

/** to = softmax(from) over `width` numbers. Returns Σ e^(from − maximum). */
function softmaxRow(width: i32, from: usize, to: usize): f32 {
  rowMaximum = load<f32>(from);
  for (let k = 1; k < width; k++) rowMaximum = max(rowMaximum, load<f32>(from + (<usize>k << 2)));
  const shift = f32x4.splat(rowMaximum);
  let sums = f32x4.splat(0);
  for (let k = 0; k < width; k += 4) {
    const o = <usize>k << 2;
    const e = keepUpTo(exp(f32x4.sub(v128.load(from + o), shift)), width - k);
    sums = f32x4.add(sums, e);
    storeUpTo(to + o, e, width - k);
  }
  const sum = sumLanes(sums);
  const share = f32x4.splat(<f32>1 / sum);
  for (let k = 0; k < width; k += 4) {
    const o = <usize>k << 2;
    storeUpTo(to + o, f32x4.mul(v128.load(to + o), share), width - k);
  }
  return sum;
}

/** Softmax of the rows of task `task`, `perTask` rows each. */
export function softmaxForward(task: i32, perTask: i32, rows: i32, width: i32, x: usize, y: usize): void {
  const end = min(rows, (task + 1) * perTask);
  for (let r = task * perTask; r < end; r++) {
    const row = <usize>(r * width) << 2;
    softmaxRow(width, x + row, y + row);
  }
}

/**
 * Softmax, and losses[r] = weights[label] · −log y[r, label]. `labels` [rows] are integers, `weights` is 0 for ones.
 */
export function crossEntropyForward(
  task: i32, perTask: i32, rows: i32, width: i32, x: usize, labels: usize, weights: usize, y: usize, losses: usize,
): void {
  const end = min(rows, (task + 1) * perTask);
  for (let r = task * perTask; r < end; r++) {
    const row = <usize>(r * width) << 2;
    const label = <usize>load<i32>(labels + (<usize>r << 2)) << 2;
    const sum = softmaxRow(width, x + row, y + row);
    // The difference of the logits comes first, because it is exact where they are large.
    const loss = rowMaximum - load<f32>(x + row + label) + f32x4.extract_lane(log(f32x4.splat(sum)), 0);
    store<f32>(losses + (<usize>r << 2), weights ? load<f32>(weights + label) * loss : loss);
  }
}

/** dx += scale · weights[label] · (y − onehot(label)) */
export function crossEntropyBackward(
  task: i32, perTask: i32, rows: i32, width: i32, scale: f32, labels: usize, weights: usize, y: usize, dx: usize,
): void {
  const end = min(rows, (task + 1) * perTask);
  for (let r = task * perTask; r < end; r++) {
    const row = <usize>(r * width) << 2;
    const label = <usize>load<i32>(labels + (<usize>r << 2)) << 2;
    const share: f32 = weights ? scale * load<f32>(weights + label) : scale;
    const s = f32x4.splat(share);
    for (let k = 0; k < width; k += 4) {
      const o = row + (<usize>k << 2);
      storeUpTo(dx + o, madd(s, v128.load(y + o), v128.load(dx + o)), width - k);
    }
    const at = dx + row + label;
    store<f32>(at, load<f32>(at) - share);
  }
}
