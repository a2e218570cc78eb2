// Reference of ops/knn-graph.ts in float64.

/** features: [batch, n, f] → [n, n] */
export function knnGraph(features: Float64Array, n: number, f: number, neighbours: number): Float64Array {
  const batch = features.length / (n * f);
  const vectors = Array.from({ length: n }, (_, i) => {
    const vector: number[] = [];
    for (let b = 0; b < batch; b++) {
      for (let k = 0; k < f; k++) vector.push(features[(b * n + i) * f + k]);
    }
    const length = Math.hypot(...vector);
    return vector.map((value) => (length > 0 ? value / length : 0));
  });
  const kept = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    const similarity = vectors.map((other) => other.reduce((sum, value, k) => sum + value * vectors[i][k], 0));
    const others = similarity
      .keys()
      .filter((j) => j !== i)
      .toArray();
    others.sort((p, q) => similarity[q] - similarity[p] || p - q);
    for (const j of [i, ...others.slice(0, neighbours)]) kept[i * n + j] = Math.max(0, similarity[j]);
  }
  return kept.map((value, at) => (value + kept[(at % n) * n + Math.floor(at / n)]) / 2);
}
