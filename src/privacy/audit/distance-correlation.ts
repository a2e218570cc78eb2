// Székely, Rizzo, Bakirov 2007: distance correlation, 0 where two things have nothing to do with each other, 1 where one is the
// other up to scale and rotation. It needs no attacker and no training.
import { type Rows, rowCount } from './rows.ts';

export function distanceCorrelation(one: Rows, other: Rows): number {
  const count = rowCount(one);
  if (count < 2) return 0;
  const [a, b] = [centredDistances(one), centredDistances(other)];
  let [both, first, second] = [0, 0, 0];
  for (let at = 0; at < a.length; at++) {
    both += a[at] * b[at];
    first += a[at] ** 2;
    second += b[at] ** 2;
  }
  const scale = Math.sqrt(first * second);
  return scale > 0 ? Math.sqrt(Math.max(0, both) / scale) : 0;
}

/** [row, row]: distances between rows, less their row means and column means, plus the mean of all. */
function centredDistances(rows: Rows): Float64Array {
  const [count, { values, width }] = [rowCount(rows), rows];
  const distances = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < i; j++) {
      let square = 0;
      for (let k = 0; k < width; k++) square += (values[i * width + k] - values[j * width + k]) ** 2;
      distances[i * count + j] = distances[j * count + i] = Math.sqrt(square);
    }
  }
  const means = new Float64Array(count);
  for (let at = 0; at < distances.length; at++) means[Math.floor(at / count)] += distances[at] / count;
  const mean = means.reduce((sum, value) => sum + value, 0) / count;
  return distances.map((value, at) => value - means[Math.floor(at / count)] - means[at % count] + mean);
}
