// Reference of ops/sigmoid.ts in float64: 1 / (1 + e^−x)

export function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
