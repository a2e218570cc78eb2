// Reference of ops/row-entropy.ts in float64.

/** p: [rows, d] → [1] */
export function rowEntropy(p: Float64Array, d: number): Float64Array {
  let sum = 0;
  for (const value of p) if (value > 0) sum -= value * Math.log(value);
  return Float64Array.of(sum / (p.length / d));
}
