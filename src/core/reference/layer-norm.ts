// Reference of ops/layer-norm.ts in float64.

/** x: [rows, width], gain: [width], shift: [width] → [rows, width] */
export function layerNorm(x: Float64Array, gain: Float64Array, shift: Float64Array, epsilon: number): Float64Array {
  const width = gain.length;
  const y = new Float64Array(x.length);
  for (let start = 0; start < x.length; start += width) {
    const row = x.subarray(start, start + width);
    const mean = row.reduce((sum, value) => sum + value, 0) / width;
    const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / width;
    for (let k = 0; k < width; k++) {
      y[start + k] = ((row[k] - mean) / Math.sqrt(variance + epsilon)) * gain[k] + shift[k];
    }
  }
  return y;
}
