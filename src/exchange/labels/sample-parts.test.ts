import { describe, expect, test } from 'vitest';
import fc from '../../../test/support/seeded-fast-check.ts';
import { randomSplit } from './sample-parts.ts';
import { checkSplit } from './split.ts';

const ids = (n: number) => Array.from({ length: n }, (_, i) => `s${i}`);

describe('randomSplit', () => {
  test('gives 70/10/20, the sizes of the fixed METR-LA and PEMS-BAY splits', () => {
    const sizes = (n: number) => Object.values(randomSplit(ids(n), 1)).map((part) => part.length);
    expect(sizes(2856)).toEqual([1999, 285, 572]);
    expect(sizes(4343)).toEqual([3040, 434, 869]);
  });

  test('puts every sample in one part, whatever their number and the seed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 300 }), fc.maxSafeNat(), (n, seed) => {
        checkSplit(randomSplit(ids(n), seed), ids(n));
      }),
    );
  });

  test('depends on the seed and on nothing else', () => {
    expect(randomSplit(ids(50), 3)).toEqual(randomSplit(ids(50), 3));
    expect(randomSplit(ids(50), 3)).not.toEqual(randomSplit(ids(50), 4));
  });
});
