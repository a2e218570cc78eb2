// Reference of ops/squared-distance-correlation.ts in float64, by the four means of its definition.

/** x: [rows, d], y: [rows, k] → dCor², [1] */
export function squaredDistanceCorrelation(x: Float64Array, y: Float64Array, rows: number): Float64Array {
  const [a, b] = [x, y].map((values) => {
    const width = values.length / rows;
    const distance = (i: number, j: number) =>
      Math.hypot(...Array.from({ length: width }, (_, k) => values[i * width + k] - values[j * width + k]));
    const all = Array.from({ length: rows }, (_, i) => Array.from({ length: rows }, (_, j) => distance(i, j)));
    const means = all.map((row) => row.reduce((sum, value) => sum + value, 0) / rows);
    const mean = means.reduce((sum, value) => sum + value, 0) / rows;
    return all.map((row, i) => row.map((value, j) => value - means[i] - means[j] + mean));
  });
  const covariance = (p: number[][], q: number[][]) =>
    p.reduce((sum, row, i) => sum + row.reduce((part, value, j) => part + value * q[i][j], 0), 0) / rows ** 2;
  return Float64Array.of(covariance(a, b) / Math.sqrt(covariance(a, a) * covariance(b, b)));
}
