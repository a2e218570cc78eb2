// Reference of ops/quadratic.ts in float64.

/** x: [rows, width], bias: [width] → [rows, width] */
export function quadratic(x: Float64Array, bias: Float64Array | undefined): Float64Array {
  return x.map((value, i) => {
    const z = value + (bias ? bias[i % bias.length] : 0);
    return z * z * 0.25 + z * 0.5;
  });
}
