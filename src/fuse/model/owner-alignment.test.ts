import { expect, it } from 'vitest';
import { alignmentOf, permutationNearness } from './owner-alignment.ts';

it('an alignment leaves out the columns its owner does not have', () => {
  const alignment = {
    kind: 'soft' as const,
    rows: 2,
    columns: 3,
    matrices: Float32Array.from({ length: 12 }, (_, i) => i),
  };
  expect(alignmentOf(alignment, 1, 2)).toEqual({ rows: 2, columns: 2, values: Float32Array.of(6, 7, 9, 10) });
});

it.each([
  ['a permutation', [0, 1, 1, 0], 1, true],
  ['a soft permutation', [0.25, 0.75, 0.75, 0.25], 0.75, true],
  ['two rows that want the same column', [0.75, 0.25, 1, 0], 0.875, false],
  ['a matrix that tells nothing apart', [0.5, 0.5, 0.5, 0.5], 0.5, false],
] as const)('nearness of %s', (_, values, meanRowMaximum, roundsToPermutation) => {
  const matrix = { rows: 2, columns: 2, values: Float32Array.from(values) };
  expect(permutationNearness(matrix)).toEqual({ meanRowMaximum, roundsToPermutation });
});
