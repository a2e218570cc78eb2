// Reference of ops/encoded-projection.ts in float64: the code written down and multiplied.

/** Code of `x` between `edges` [bins + 1] → [bins] */
export function piecewiseLinearCode(x: number, edges: Float64Array): Float64Array {
  const bins = edges.length - 1;
  return Float64Array.from({ length: bins }, (_, t) => {
    const [low, high] = [edges[t], edges[t + 1]];
    if (t > 0 && x <= low) return 0;
    if (t < bins - 1 && x > high) return 1;
    return high > low ? (x - low) / (high - low) : 0;
  });
}

export interface EncodedProjectionSizes {
  owners: number;
  width: number;
  bins: number;
  out: number;
}

/** x: [batch, owner, width], edges: [owner, width, bins + 1], weights: [owner, width, bins, out] → [batch, owner, out] */
export function encodedProjection(
  x: Float64Array,
  edges: Float64Array,
  weights: Float64Array,
  { owners, width, bins, out }: EncodedProjectionSizes,
  bias?: Float64Array,
  present?: Float64Array,
): Float64Array {
  const rows = x.length / width;
  const y = new Float64Array(rows * out);
  for (let row = 0; row < rows; row++) {
    if (present && present[row] === 0) continue;
    const owner = row % owners;
    for (let o = 0; o < out; o++) y[row * out + o] = bias ? bias[owner * out + o] : 0;
    for (let k = 0; k < width; k++) {
      const at = owner * width + k;
      const code = piecewiseLinearCode(x[row * width + k], edges.subarray(at * (bins + 1), (at + 1) * (bins + 1)));
      code.forEach((share, t) => {
        for (let o = 0; o < out; o++) y[row * out + o] += share * weights[(at * bins + t) * out + o];
      });
    }
  }
  return y;
}
