// Mean and standard deviation of a few repetitions.

/** The sample deviation: it divides by one less than the number of values. A single value has none. */
export function meanAndDeviation(values: readonly number[]): { mean: number; deviation?: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (values.length < 2) return { mean };
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, deviation: Math.sqrt(squares / (values.length - 1)) };
}
