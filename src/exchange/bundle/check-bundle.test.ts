import { describe, expect, test } from 'vitest';
import type { Bundle } from './bundle.ts';
import { checkBundle, requireSound } from './check-bundle.ts';
import { compareBundles } from './compare-bundles.ts';

const sound: Bundle = {
  owner: 'plant-7',
  samples: ['a', 'b', 'c'],
  sampleType: 'text',
  width: 2,
  embeddings: Float32Array.of(1, 2, 3, 4, 5, 6),
  classes: 2,
  probabilities: Float32Array.of(0.25, 0.75, 1, 0, 0.5, 0.5),
};
const check = (change: Partial<Bundle>) => checkBundle({ ...sound, ...change });
const error = (code: string, message: string) => ({ level: 'error', code, message: `bundle plant-7: ${message}` });
const warning = (code: string, message: string) => ({ level: 'warning', code, message: `bundle plant-7: ${message}` });

test('a sound bundle has no findings', () => {
  expect(checkBundle(sound)).toEqual([]);
  expect(requireSound(sound)).toEqual([]);
});

describe('errors', () => {
  test('no rows', () => {
    const none = new Float32Array();
    expect(check({ samples: [], embeddings: none, probabilities: none })).toEqual([
      error('F3_BUNDLE_EMPTY', 'must have at least one sample, got none'),
    ]);
  });

  test('NaN, naming row and column, and how many more', () => {
    const embeddings = Float32Array.of(1, 2, 3, Number.NaN, Number.POSITIVE_INFINITY, 6);
    expect(check({ embeddings })).toEqual([
      error('F3_BUNDLE_NOT_FINITE', 'embedding must be finite, got NaN (row 2, sample b, column 1) and 1 more'),
    ]);
  });

  test('infinite probabilities, reported once', () => {
    expect(check({ probabilities: Float32Array.of(0.25, 0.75, 1, 0, Number.NEGATIVE_INFINITY, 0.5) })).toEqual([
      error('F3_BUNDLE_NOT_FINITE', 'probabilities must be finite, got -Infinity (row 3, sample c, column 0)'),
    ]);
  });

  test('duplicate ids', () => {
    expect(check({ samples: ['a', 'b', 'a'] })).toEqual([
      error('F3_BUNDLE_DUPLICATE', 'every sample must occur once, got a in rows 1 and 3'),
    ]);
  });

  test('an empty id', () => {
    expect(check({ samples: ['a', '', 'c'] })).toEqual([
      error('F3_BUNDLE_ID', 'sample ids must not be empty, got an empty one in row 2'),
    ]);
  });

  test('probabilities that sum to something else, or leave 0 to 1', () => {
    expect(check({ probabilities: Float32Array.of(0.25, 0.75, 0.5, 0.25, 2, -1) })).toEqual([
      error(
        'F3_BUNDLE_PROBABILITIES',
        'probabilities must be from 0 to 1 and sum to 1, got 0.5 + 0.25 = 0.75 (row 2, sample b) and 1 more',
      ),
    ]);
  });

  test('rounded probabilities pass', () => {
    expect(check({ probabilities: Float32Array.of(0.3333, 0.6666, 1, 0, 0.5, 0.5) })).toEqual([]);
  });

  test('requireSound throws the first, with its code', () => {
    expect(() => requireSound({ ...sound, samples: ['a', 'b', 'b'] })).toThrow(
      expect.objectContaining({ code: 'F3_BUNDLE_DUPLICATE' }),
    );
  });
});

describe('warnings', () => {
  test('constant columns', () => {
    expect(check({ embeddings: Float32Array.of(1, 2, 1, 4, 1, 6) })).toEqual([
      warning('constant-column', 'embedding never changes in 1 of 2 columns: 0'),
    ]);
  });

  test('all-zero rows', () => {
    expect(check({ embeddings: Float32Array.of(1, 2, 0, 0, 5, 6) })).toEqual([
      warning('zero-row', 'embedding is all zero; a sample that the owner did not see must have no row: sample b'),
    ]);
  });

  test('no all-zero rows among rounded answers, whose middle level is 0', () => {
    const embeddings = Float32Array.of(-1, 1, 0, 0, 1, -1);
    expect(check({ embeddings, privacy: JSON.stringify({ answers: 3 }) })).toEqual([]);
    expect(check({ embeddings, privacy: JSON.stringify({ bottleneck: 2 }) })).toHaveLength(1);
  });

  test('very large values', () => {
    expect(check({ embeddings: Float32Array.of(1, 2, 3, -40000, 5, 6) })).toEqual([
      warning('large-value', 'embedding exceeds ±10000 in 1 of 2 columns: 1'),
    ]);
  });

  test('integer ids and padded ids', () => {
    expect(check({ samples: ['1', '2', '3'], sampleType: 'integer' })).toMatchObject([{ code: 'integer-ids' }]);
    expect(check({ samples: ['a', ' b', 'c\t'] })).toEqual([
      warning(
        'padded-id',
        'sample ids begin or end with white space, which counts when ids are matched: " b" and 1 more',
      ),
    ]);
  });
});

describe('several bundles', () => {
  const other = { ...sound, owner: 'plant-8' };

  test('that fit have no findings', () => {
    expect(compareBundles([sound, other])).toEqual([]);
    expect(compareBundles([sound])).toEqual([]);
    const { classes: _, probabilities: __, ...withheld } = other;
    expect(compareBundles([sound, withheld])).toEqual([]);
  });

  test('must agree on the type of ids', () => {
    expect(compareBundles([sound, { ...other, sampleType: 'integer' }])).toMatchObject([
      {
        level: 'error',
        code: 'F3_BUNDLE_ID_TYPE',
        message: 'sample ids must be of one type, got text from plant-7, integer from plant-8',
      },
    ]);
  });

  test('must agree on the number of classes', () => {
    expect(compareBundles([sound, { ...other, classes: 3 }])).toMatchObject([
      {
        level: 'error',
        code: 'F3_BUNDLE_PROBABILITIES',
        message: expect.stringContaining('got 2 from plant-7, 3 from plant-8'),
      },
    ]);
  });

  test('should be of different owners and share samples', () => {
    expect(compareBundles([sound, sound])).toMatchObject([{ level: 'warning', code: 'owner-twice' }]);
    const stranger = { ...other, owner: 'plant-9', samples: ['x', 'y', 'z'] };
    expect(compareBundles([sound, other, stranger])).toEqual([
      {
        level: 'warning',
        code: 'no-common-sample',
        message: 'owner plant-9 shares no sample with any other owner; its first is x',
      },
    ]);
  });
});
