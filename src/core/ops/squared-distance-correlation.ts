// Székely, Rizzo, Bakirov 2007: dCor²(x, y) = ⟨A, B⟩ / √(⟨A, A⟩⟨B, B⟩), where A and B are the doubly centred distances between rows.
// 0 where two things have nothing to do with each other, 1 where one is the other up to scale and rotation.

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectArgument, expectShape } from '../errors.ts';

/**
 * x: [row, d], y: [row, k], which is data and gets no gradient → [], from 0 to 1. Rows that lie on one point have no
 * direction to move in and get no gradient from each other. A batch of 100 rows has 4950 distances, so this runs in the
 * thread that calls.
 */
export function squaredDistanceCorrelation(tape: Tape, x: Tensor, y: Tensor): Tensor {
  const [rows, width] = x.shape;
  expectArgument(x.shape.length === 2 && rows > 1, 'squaredDistanceCorrelation x', 'must have two rows or more', rows);
  expectShape('squaredDistanceCorrelation y', y.shape, [rows, y.size / rows]);
  const distances = distancesOf(x.data, rows);
  const [a, b] = [centred(distancesOf(y.data, rows), rows), centred(distances, rows)];
  const [both, first, second] = [product(a, b), product(a, a), product(b, b)];
  const scale = Math.sqrt(first * second);
  const out = tape.result([], [x]);
  out.data[0] = scale > 0 ? both / scale : 0;
  tape.record(out, () => {
    if (scale === 0) return;
    // A is centred, so ⟨A, B⟩ depends on the distances through A alone: ∂/∂d_ij = A_ij/scale − dCor² · B_ij/⟨B, B⟩.
    const [slope, correlation] = [out.gradient[0], both / scale];
    const { data, gradient } = x;
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < i; j++) {
        const at = i * rows + j;
        if (distances[at] === 0) continue;
        // Each distance stands twice in the matrix.
        const pull = (2 * slope * (a[at] / scale - (correlation * b[at]) / second)) / distances[at];
        for (let k = 0; k < width; k++) {
          const step = pull * (data[i * width + k] - data[j * width + k]);
          gradient[i * width + k] += step;
          gradient[j * width + k] -= step;
        }
      }
    }
  });
  return out;
}

/** [row, row] */
function distancesOf(values: Float32Array, rows: number): Float64Array {
  const width = values.length / rows;
  const distances = new Float64Array(rows * rows);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < i; j++) {
      let square = 0;
      for (let k = 0; k < width; k++) square += (values[i * width + k] - values[j * width + k]) ** 2;
      distances[i * rows + j] = distances[j * rows + i] = Math.sqrt(square);
    }
  }
  return distances;
}

/** Less the means of row and column, plus the mean of all. */
function centred(distances: Float64Array, rows: number): Float64Array {
  const means = new Float64Array(rows);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < rows; j++) means[i] += distances[i * rows + j] / rows;
  }
  const mean = means.reduce((sum, value) => sum + value, 0) / rows;
  const result = new Float64Array(distances.length);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < rows; j++) result[i * rows + j] = distances[i * rows + j] - means[i] - means[j] + mean;
  }
  return result;
}

function product(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at] * b[at];
  return sum;
}
