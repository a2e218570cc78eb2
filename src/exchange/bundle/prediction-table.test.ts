// Spoilt requests for predictions are refused in no time: apache-arrow alone would read some of them for ever.

import { expect, test } from 'vitest';
import fc from '../../../test/support/seeded-fast-check.ts';
import { encodeArrow, floatListColumn, textColumn } from '../../base/arrow-table.ts';
import { errorCode } from '../../errors.ts';
import { decodePredictionTable } from './prediction-table.ts';

const columns = {
  sample: textColumn(['a', 'a', 'b']),
  owner: textColumn(['x', 'y', 'x']),
  embedding: floatListColumn(Float32Array.from([1, 2, 3, 4, 5, 6]), 2),
};
const sound = encodeArrow(columns, {});

test('a table becomes the embeddings of each sample by owner', () => {
  const table = decodePredictionTable(sound);
  expect([...table.keys()]).toEqual(['a', 'b']);
  expect([...(table.get('a') ?? [])]).toEqual([
    ['x', Float32Array.of(1, 2)],
    ['y', Float32Array.of(3, 4)],
  ]);
});

test.each([
  ['a column that is missing', { sample: columns.sample, embedding: columns.embedding }, 'F3_BUNDLE_COLUMN'],
  ['texts for embeddings', { ...columns, embedding: columns.owner }, 'F3_BUNDLE_COLUMN'],
  ['an owner twice', { ...columns, owner: textColumn(['x', 'x', 'x']) }, 'F3_BUNDLE_DUPLICATE'],
])('%s is refused', (_, wrong, code) => {
  expect(() => decodePredictionTable(encodeArrow(wrong, {}))).toThrow(expect.objectContaining({ code }));
});

test('bytes that were changed or cut are read or refused with a code of ours', () => {
  const change = fc.tuple(fc.nat(sound.length - 1), fc.nat(255));
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), fc.nat(3 * sound.length), (changes, length) => {
      const spoilt = Uint8Array.from(sound);
      for (const [at, byte] of changes) spoilt[at] = byte;
      try {
        decodePredictionTable(spoilt.subarray(0, length));
      } catch (error) {
        expect(errorCode(error), String(error)).toBeDefined();
      }
    }),
    { numRuns: 3000 },
  );
});
