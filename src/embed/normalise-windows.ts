// [owner] Inputs as the model sees them: raw (as in the paper), or z-scored with the owner's own training windows.

/** Per variate: the mean to subtract and the deviation to divide by. */
export interface Normalisation {
  mean: number[];
  deviation: number[];
}

/** windows: [sample, time, variate]; statistics over all time steps of the rows in `train`. */
export function zScore(windows: Float32Array, train: Uint32Array, length: number, variates: number): Normalisation {
  const mean = new Array<number>(variates).fill(0);
  const square = new Array<number>(variates).fill(0);
  for (const row of train) {
    for (let at = row * length * variates; at < (row + 1) * length * variates; at++) {
      mean[at % variates] += windows[at];
      square[at % variates] += windows[at] ** 2;
    }
  }
  const count = Math.max(1, train.length * length);
  const deviation = square.map((sum, v) => Math.sqrt(Math.max(0, sum / count - (mean[v] / count) ** 2)));
  // A constant variate carries no information; dividing it by 1 keeps it at zero.
  return { mean: mean.map((sum) => sum / count), deviation: deviation.map((value) => (value > 0 ? value : 1)) };
}

/** windows: [sample, time, variate] → the same shape, normalised */
export function normalise(windows: Float32Array, { mean, deviation }: Normalisation): Float32Array {
  const variates = mean.length;
  return windows.map((value, at) => (value - mean[at % variates]) / deviation[at % variates]);
}
