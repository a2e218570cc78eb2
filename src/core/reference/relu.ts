// Reference of ops/relu.ts in float64.

/** x: [rows, width], bias: [width] → [rows, width] */
export function relu(x: Float64Array, bias: Float64Array | undefined): Float64Array {
  return x.map((value, i) => Math.max(0, value + (bias ? bias[i % bias.length] : 0)));
}
