import { expect, test } from 'vitest';
import { RandomStream } from '../../../../core/random.ts';
import { SymmetricFactor } from './symmetric-factor.ts';

function randomMatrix(seed: number, size: number) {
  const random = new RandomStream(seed, 0);
  const edges: [number, number][] = [];
  for (let i = 0; i < size; i++) for (let j = i + 1; j < size; j++) if (random.uniform() < 0.12) edges.push([i, j]);
  const diagonal = Float64Array.from({ length: 2 * size }, () => 3 + random.uniform());
  const offDiagonal = Float64Array.from({ length: 2 * edges.length }, () => random.centred());
  const right = Float64Array.from({ length: 2 * size }, () => random.centred());
  return { edges, diagonal, offDiagonal, right };
}

/** Largest |A·x − b|. */
function residual(
  edges: [number, number][],
  diagonal: Float64Array,
  off: Float64Array,
  x: Float64Array,
  b: Float64Array,
) {
  const left = b.map((value) => -value);
  const add = (row: number, re: number, im: number, column: number) => {
    left[2 * row] += re * x[2 * column] - im * x[2 * column + 1];
    left[2 * row + 1] += re * x[2 * column + 1] + im * x[2 * column];
  };
  for (let i = 0; i < x.length / 2; i++) add(i, diagonal[2 * i], diagonal[2 * i + 1], i);
  edges.forEach(([i, j], e) => {
    add(i, off[2 * e], off[2 * e + 1], j);
    add(j, off[2 * e], off[2 * e + 1], i);
  });
  return Math.max(...left.map(Math.abs));
}

test('solves sparse complex symmetric systems, and again after new values on the same pattern', () => {
  for (const seed of [1, 2, 3]) {
    const { edges, diagonal, offDiagonal, right } = randomMatrix(seed, 50);
    const factor = new SymmetricFactor(50, edges);
    for (const scale of [1, 0.3]) {
      const values = offDiagonal.map((value) => value * scale);
      factor.factor(diagonal, values);
      const x = right.slice();
      factor.solve(x);
      expect(residual(edges, diagonal, values, x, right)).toBeLessThan(1e-12);
    }
  }
});

test('an edge of value zero, as of an open line, is harmless', () => {
  const factor = new SymmetricFactor(3, [
    [0, 1],
    [1, 2],
  ]);
  factor.factor(Float64Array.of(2, 0, 4, 0, 0, 5), Float64Array.of(0, 0, 0, 0));
  const x = Float64Array.of(2, 0, 4, 0, 5, 0);
  factor.solve(x);
  expect([...x]).toEqual([1, 0, 1, 0, 0, -1]);
});
