// Reference of ops/symmetric-normalise.ts in float64.

/** adjacency: [n, n] → [n, n] */
export function symmetricNormalise(adjacency: Float64Array, n: number, skip = false): Float64Array {
  const withLoops = adjacency.slice();
  for (let i = 0; i < n; i++) withLoops[i * n + i] += 1;
  const degree = new Float64Array(n);
  withLoops.forEach((value, at) => {
    degree[Math.floor(at / n)] += value;
  });
  return withLoops.map((value, at) => {
    const i = Math.floor(at / n);
    const j = at % n;
    return value / Math.sqrt(degree[i] * degree[j]) + (skip && i === j ? 1 : 0);
  });
}
