// Reference of ops/causal-windows.ts in float64.

/** x: [batch, time, width] → [batch, time, taps · width] */
export function causalWindows(
  x: Float64Array,
  time: number,
  width: number,
  { taps, dilation }: { taps: number; dilation: number },
): Float64Array {
  const rows = x.length / width;
  const y = new Float64Array(rows * taps * width);
  for (let r = 0; r < rows; r++) {
    for (let k = 0; k < taps; k++) {
      if ((r % time) - k * dilation < 0) continue;
      const from = (r - k * dilation) * width;
      y.set(x.subarray(from, from + width), (r * taps + k) * width);
    }
  }
  return y;
}
