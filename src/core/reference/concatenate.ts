// Reference of ops/concatenate.ts in float64.

/** parts: [rows, widths[i]] each → [rows, Σ widths] */
export function concatenate(parts: Float64Array[], widths: number[]): Float64Array {
  const rows = parts[0].length / widths[0];
  const out: number[] = [];
  for (let r = 0; r < rows; r++) {
    parts.forEach((part, i) => {
      out.push(...part.subarray(r * widths[i], (r + 1) * widths[i]));
    });
  }
  return Float64Array.from(out);
}
