import { expect, it } from 'vitest';
import { blockFor, coarsenMatrix } from './coarsen-matrix.ts';

const matrix = { rows: 3, columns: 3, values: Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9) };
const sum = (entries: readonly number[]) => entries.reduce((total, entry) => total + entry, 0);

it('blocks of one leave a matrix as it is', () => {
  expect(coarsenMatrix(matrix, 1, sum)).toEqual(matrix);
});

it('a large matrix becomes blocks, cut off at its edges', () => {
  const values = Float32Array.of(1 + 2 + 4 + 5, 3 + 6, 7 + 8, 9);
  expect(coarsenMatrix(matrix, 2, sum)).toEqual({ rows: 2, columns: 2, values });
});

it.each([
  [3, 3, 1],
  [4, 3, 2],
  [1000, 250, 4],
  [0, 3, 1],
])('%i entries in at most %i cells take blocks of %i', (entries, cells, block) => {
  expect(blockFor(entries, cells)).toBe(block);
});
