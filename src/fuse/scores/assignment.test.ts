import { expect, test } from 'vitest';
import fc from '../../../test/support/seeded-fast-check.ts';
import { assignment } from './assignment.ts';

function* orders(items: number[]): Generator<number[]> {
  if (items.length === 0) yield [];
  for (const item of items) for (const rest of orders(items.filter((other) => other !== item))) yield [item, ...rest];
}

test('no other choice of columns has a larger sum', () => {
  const matrix = fc
    .integer({ min: 1, max: 5 })
    .chain((d) => fc.array(fc.integer({ min: -20, max: 20 }), { minLength: d * d, maxLength: d * d }));
  fc.assert(
    fc.property(matrix, (scores) => {
      const d = Math.sqrt(scores.length);
      const sum = (columns: ArrayLike<number>) =>
        Array.from(columns).reduce((total, j, i) => total + scores[i * d + j], 0);
      const best = Math.max(...orders(Array.from({ length: d }, (_, j) => j)).map(sum));
      const chosen = assignment(scores, d);
      expect(new Set(chosen).size).toBe(d);
      expect(sum(chosen)).toBe(best);
    }),
  );
});

test('a permutation matrix is its own assignment', () => {
  expect(assignment([0, 0, 1, 1, 0, 0, 0, 1, 0], 3)).toEqual(Uint32Array.of(2, 0, 1));
});
