// Reference of ops/graph-convolution.ts in float64.

/** graph: [n, n] (`shared`) or [batch, n, n], x: [batch, n, h] → [batch, n, h] */
export function graphConvolution(graph: Float64Array, x: Float64Array, n: number, h: number, shared: boolean) {
  const batch = x.length / (n * h);
  const y = new Float64Array(x.length);
  for (let b = 0; b < batch; b++) {
    const first = shared ? 0 : b * n * n;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        for (let k = 0; k < h; k++) y[(b * n + i) * h + k] += graph[first + i * n + j] * x[(b * n + j) * h + k];
      }
    }
  }
  return y;
}
