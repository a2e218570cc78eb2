// Reference of ops/per-owner-affine.ts in float64.

/** x: [batch, owner, width], matrices: [owner, out, width], bias: [owner, out] → [batch, owner, out] */
export function perOwnerAffine(
  x: Float64Array,
  matrices: Float64Array,
  bias: Float64Array | undefined,
  owners: number,
  width: number,
  out: number,
): Float64Array {
  const batch = x.length / (owners * width);
  const y = new Float64Array(batch * owners * out);
  for (let b = 0; b < batch; b++) {
    for (let i = 0; i < owners; i++) {
      for (let o = 0; o < out; o++) {
        let sum = bias ? bias[i * out + o] : 0;
        for (let k = 0; k < width; k++) sum += matrices[(i * out + o) * width + k] * x[(b * owners + i) * width + k];
        y[(b * owners + i) * out + o] = sum;
      }
    }
  }
  return y;
}
