// Reference of ops/squared-error.ts in float64.

/** x, target: [...] of one shape → the mean of squared differences, [1] */
export function squaredError(x: Float64Array, target: Float64Array): Float64Array {
  return Float64Array.of(x.reduce((sum, value, i) => sum + (value - target[i]) ** 2, 0) / x.length);
}
