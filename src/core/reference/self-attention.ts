// Reference of ops/self-attention.ts in float64.

/** q, k, v: [batch, n, heads · width], present: [batch, n] → [batch, n, heads · width] */
export function selfAttention(
  q: Float64Array,
  k: Float64Array,
  v: Float64Array,
  present: ArrayLike<number> | undefined,
  [batch, n, heads, width]: [number, number, number, number],
): Float64Array {
  const at = (b: number, i: number, h: number, c: number) => ((b * n + i) * heads + h) * width + c;
  const out = new Float64Array(q.length);
  for (let b = 0; b < batch; b++) {
    const owners = Array.from({ length: n }, (_, j) => j).filter((j) => present?.[b * n + j] !== 0);
    for (let h = 0; h < heads; h++) {
      for (let i = 0; i < n; i++) {
        const scores = owners.map((j) => {
          let score = 0;
          for (let c = 0; c < width; c++) score += q[at(b, i, h, c)] * k[at(b, j, h, c)];
          return score / Math.sqrt(width);
        });
        const largest = Math.max(...scores);
        const powers = scores.map((score) => Math.exp(score - largest));
        const sum = powers.reduce((total, power) => total + power, 0);
        owners.forEach((j, o) => {
          for (let c = 0; c < width; c++) out[at(b, i, h, c)] += (powers[o] / sum) * v[at(b, j, h, c)];
        });
      }
    }
  }
  return out;
}
