// Reference of ops/project-matrices.ts in float64.

/** matrices: [owner, out, width], weight: [out, h] → [owner, h, width] */
export function projectMatrices(
  matrices: Float64Array,
  weight: Float64Array,
  out: number,
  width: number,
  h: number,
): Float64Array {
  const owners = matrices.length / (out * width);
  const projected = new Float64Array(owners * h * width);
  for (let i = 0; i < owners; i++) {
    for (let k = 0; k < h; k++) {
      for (let w = 0; w < width; w++) {
        let sum = 0;
        for (let o = 0; o < out; o++) sum += weight[o * h + k] * matrices[(i * out + o) * width + w];
        projected[(i * h + k) * width + w] = sum;
      }
    }
  }
  return projected;
}
