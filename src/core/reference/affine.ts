// Reference of ops/affine.ts in float64.

/** x: [rows, width], weight: [width, out], bias: [out] → [rows, out] */
export function affine(
  x: Float64Array,
  weight: Float64Array,
  bias: Float64Array | undefined,
  width: number,
  out: number,
): Float64Array {
  const rows = x.length / width;
  const y = new Float64Array(rows * out);
  for (let r = 0; r < rows; r++) {
    for (let o = 0; o < out; o++) {
      let sum = bias ? bias[o] : 0;
      for (let k = 0; k < width; k++) sum += x[r * width + k] * weight[k * out + o];
      y[r * out + o] = sum;
    }
  }
  return y;
}
