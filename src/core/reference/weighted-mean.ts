// Reference of ops/weighted-mean.ts in float64.

/** x: [batch, n, h], weights: [n] or [batch, n] → [batch, h] */
export function weightedMean(x: Float64Array, weights: Float64Array | undefined, n: number, h: number): Float64Array {
  const batch = x.length / (n * h);
  const y = new Float64Array(batch * h);
  for (let b = 0; b < batch; b++) {
    for (let i = 0; i < n; i++) {
      const w = weights ? weights[weights.length === n ? i : b * n + i] : 1;
      for (let k = 0; k < h; k++) y[b * h + k] += (w * x[(b * n + i) * h + k]) / n;
    }
  }
  return y;
}
