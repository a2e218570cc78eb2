import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { writeFloatNpy, writeNpy } from '../../test/support/write-npy.ts';
import { readEmbeddingArrays } from './embedding-arrays.ts';

const npy = writeFloatNpy([1, 2, 3, 4, 5, 6.5], 2);
const expected = {
  samples: ['a', 'b', 'c'],
  sampleType: 'text',
  width: 2,
  embeddings: Float32Array.of(1, 2, 3, 4, 5, 6.5),
};

function read(change: Record<string, string | Uint8Array>, options: { ids?: string; idColumn?: string } = {}) {
  const dir = temporaryDirectory();
  for (const [name, content] of Object.entries({ 'e.npy': npy, ...change })) writeFileSync(join(dir, name), content);
  return readEmbeddingArrays(join(dir, 'e.npy'), {
    ids: join(dir, options.ids ?? 'ids.csv'),
    idColumn: options.idColumn ?? 'sample',
    ...('p.npy' in change && { probabilities: join(dir, 'p.npy') }),
  });
}

test.each([
  ['one per line', 'a\nb\nc\n', 'sample'],
  ['one per line without a last line break', 'a\r\nb\r\nc', 'sample'],
  ['a list with a header', '\uFEFFsample\na\nb\nc', 'sample'],
  ['a column of a table', 'hour,x\r\n"a",1\r\nb,2\r\nc,3\r\n', 'hour'],
])('ids: %s', async (_, ids, idColumn) => {
  expect(await read({ 'ids.csv': ids }, { idColumn })).toEqual(expected);
});

test('ids: a .npy of integers', async () => {
  const ids = writeNpy({ descr: '<i8', shape: [3], data: BigInt64Array.of(3n, 4n, 5n) });
  const found = await read({ 'ids.npy': ids }, { ids: 'ids.npy' });
  expect(found).toEqual({ ...expected, samples: ['3', '4', '5'], sampleType: 'integer' });
});

test('with probabilities', async () => {
  const found = await read({ 'ids.csv': 'a\nb\nc', 'p.npy': writeFloatNpy([0.5, 0.5, 1, 0, 0, 1], 2) });
  expect(found).toEqual({ ...expected, classes: 2, probabilities: Float32Array.of(0.5, 0.5, 1, 0, 0, 1) });
});

test.each<[string, Record<string, string | Uint8Array>, string, string]>([
  [
    'too few ids',
    { 'ids.csv': 'a\nb\n' },
    'F3_BUNDLE_COUNT',
    'ids.csv: must have 3 ids, one per row of the embeddings, got 2',
  ],
  ['no ids', { 'ids.csv': '' }, 'F3_BUNDLE_COUNT', 'got 0'],
  [
    'an unknown header',
    { 'ids.csv': 'id\na\nb\nc\n' },
    'F3_BUNDLE_COUNT',
    'must have 3 ids, one per row of the embeddings, got 4',
  ],
  ['an empty line', { 'ids.csv': 'a\n\nc\n' }, 'F3_BUNDLE_ID', 'every line must be one plain id, got "" (line 2)'],
  [
    'no such column',
    { 'ids.csv': 'id,x\na,1\nb,2\nc,3\n' },
    'F3_DATA_COLUMN',
    'columns must be among id, x, got sample',
  ],
  [
    'an empty cell',
    { 'ids.csv': 'sample,x\na,1\n,2\nc,3\n' },
    'F3_BUNDLE_ID',
    'column sample must have an id in every row, got an empty cell (row 2)',
  ],
  [
    'probabilities of other samples',
    { 'ids.csv': 'a\nb\nc', 'p.npy': writeFloatNpy([1, 0], 2) },
    'F3_BUNDLE_COUNT',
    'p.npy: must have 3 rows, one per row of the embeddings, got 1',
  ],
  [
    'another dtype',
    { 'e.npy': writeNpy({ descr: '<i4', shape: [3, 2], data: new Int32Array(6) }) },
    'F3_BUNDLE_NPY',
    'got i4; convert with array.astype("float32")',
  ],
  ['a missing file', {}, 'F3_BUNDLE_UNREADABLE', 'ids.csv: must be readable, got no such file'],
])('refuses %s', async (_, change, code, message) => {
  await expect(read(change)).rejects.toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(message) }),
  );
});
