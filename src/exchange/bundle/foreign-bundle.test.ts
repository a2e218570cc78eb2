// Bundles as other programs write them: built with apache-arrow's own builders, not with encodeBundle.
import { zstdCompressSync } from 'node:zlib';
import {
  CompressionType,
  compressionRegistry,
  type DataType,
  Dictionary,
  Field,
  FixedSizeList,
  Float32,
  Float64,
  Int32,
  Int64,
  LargeUtf8,
  List,
  makeVector,
  RecordBatch,
  RecordBatchFileWriter,
  RecordBatchStreamWriter,
  Schema,
  Table,
  TimestampMillisecond,
  Utf8,
  Utf8View,
  vectorFromArray,
} from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import fc from '../../../test/support/seeded-fast-check.ts';
import { F3Error } from '../../errors.ts';
import { type Bundle, decodeBundle, encodeBundle } from './bundle.ts';
import { checkBundle } from './check-bundle.ts';

const CARD = new Map([
  ['f3.format', 'f3-bundle'],
  ['f3.version', '1'],
  ['f3.owner', 'plant-7'],
  ['f3.width', '2'],
]);
const LISTS = new FixedSizeList(2, new Field('item', new Float32(), true));

/** A table with nullable fields and our metadata, as pyarrow makes it, in one batch per entry of `batches`. */
function tableOf(batches: Record<string, [values: unknown[], type: DataType]>[]): Table {
  const parts = batches.map(
    (batch) =>
      new Table(
        Object.fromEntries(
          Object.entries(batch).map(([name, [values, type]]) => [name, vectorFromArray(values, type)]),
        ),
      ),
  );
  const schema = new Schema(parts[0].schema.fields, CARD);
  return new Table(
    schema,
    parts.flatMap((part) => part.batches),
  );
}

const asStream = (table: Table) => RecordBatchStreamWriter.writeAll(table).toUint8Array(true);
const asFile = (table: Table) => RecordBatchFileWriter.writeAll(table).toUint8Array(true);
const batch = (ids: unknown[], type: DataType, first = 1) => ({
  sample: [ids, type] as [unknown[], DataType],
  embedding: [ids.map((_, i) => [first + 2 * i, first + 2 * i + 1]), LISTS] as [unknown[], DataType],
});
const decodeBatch = (...batches: Parameters<typeof tableOf>[0]) => decodeBundle(asFile(tableOf(batches)), 'f');

describe('reads', () => {
  const expected = {
    owner: 'plant-7',
    samples: ['a', 'b', 'c'],
    sampleType: 'text',
    width: 2,
    embeddings: Float32Array.of(1, 2, 3, 4, 5, 6),
  };

  test.each([
    ['a stream', asStream],
    ['a file', asFile],
  ])('%s of several batches', (_, write) => {
    const table = tableOf([batch(['a', 'b'], new Utf8()), batch(['c'], new Utf8(), 5)]);
    expect(table.batches).toHaveLength(2);
    expect(decodeBundle(write(table), 'f')).toEqual(expected);
  });

  test.each([
    ['large_utf8', new LargeUtf8()],
    ['utf8_view, as Polars writes', new Utf8View()],
    ['dictionary-encoded text, as pandas categories', new Dictionary(new Utf8(), new Int32())],
  ])('ids of type %s', (_, type) => {
    expect(decodeBatch(batch(['a', 'b', 'c'], type))).toEqual(expected);
  });

  test('long ids in views', () => {
    const ids = ['event of 2012-03-01 at 07:00:00', 'b'];
    expect(decodeBatch(batch(ids, new Utf8View())).samples).toEqual(ids);
  });

  test.each([
    ['int64', [1n, -2n, 9007199254740993n], new Int64(), ['1', '-2', '9007199254740993']],
    ["int32, R's integers", [1, -2, 3], new Int32(), ['1', '-2', '3']],
  ])('ids of type %s', (_, ids, type, samples) => {
    const { samples: found, sampleType } = decodeBatch(batch(ids, type));
    expect(found).toEqual(samples);
    expect(sampleType).toBe('integer');
  });

  test('past columns it does not know, in any order', () => {
    const { sample, embedding } = batch(['a', 'b', 'c'], new Utf8());
    const extra: [unknown[], DataType] = [[1.5, null, 2.5], new Float64()];
    expect(decodeBatch({ weather: extra, embedding, sample })).toEqual(expected);
  });

  test('a table without rows, which checkBundle then refuses', () => {
    const empty = decodeBatch(batch([], new Utf8()));
    expect(empty).toMatchObject({ samples: [], width: 2 });
    expect(checkBundle(empty)[0]).toMatchObject({ level: 'error', code: 'F3_BUNDLE_EMPTY' });
  });
});

describe('refuses', () => {
  const embeddingsOf = (values: unknown[], type: DataType) => ({
    ...batch(['a', 'b'], new Utf8()),
    embedding: [values, type] as [unknown[], DataType],
  });

  test('lists of doubles, with the cast that mends them', () => {
    const lists = new List(new Field('item', new Float64(), true));
    expect(() =>
      decodeBatch(
        embeddingsOf(
          [
            [1, 2],
            [3, 4],
          ],
          lists,
        ),
      ),
    ).toThrow(
      'f: column embedding must be fixed_size_list<float32>[d], got List<Float64>; in Python: column.cast(pyarrow.list_(pyarrow.float32(), d))',
    );
  });

  test('fixed-size lists of doubles', () => {
    const lists = new FixedSizeList(2, new Field('item', new Float64(), true));
    expect(() =>
      decodeBatch(
        embeddingsOf(
          [
            [1, 2],
            [3, 4],
          ],
          lists,
        ),
      ),
    ).toThrow('got FixedSizeList[2]<Float64>; in Python: column.cast(pyarrow.list_(pyarrow.float32(), 2))');
  });

  test('a null embedding and a null inside one, naming the row', () => {
    expect(() => decodeBatch(embeddingsOf([[1, 2], null], LISTS))).toThrow(
      'column embedding must have no nulls, got one in row 2',
    );
    const second = {
      ...batch(['c', 'd'], new Utf8()),
      embedding: [
        [
          [1, 2],
          [3, null],
        ],
        LISTS,
      ] as [unknown[], DataType],
    };
    expect(() => decodeBatch(batch(['a', 'b'], new Utf8()), second)).toThrow(
      'column embedding must have no nulls, got one in row 4',
    );
  });

  test('null ids, also in a dictionary', () => {
    for (const type of [new Utf8(), new Int64(), new Dictionary(new Utf8(), new Int32())]) {
      const ids = type instanceof Int64 ? [1n, null] : ['a', null];
      expect(() => decodeBatch(batch(ids, type))).toThrow('column sample must have no nulls, got one in row 2');
    }
  });

  test('ids that are times or fractions', () => {
    expect(() => decodeBatch(batch([1, 2], new Float64()))).toThrow('column sample must be utf8 or int64, got Float64');
    expect(() => decodeBatch(batch([1, 2], new TimestampMillisecond()))).toThrow(
      'got Timestamp<MILLISECOND>; cast the ids',
    );
  });

  test('unsigned ids beyond int64', () => {
    const ids = makeVector(BigUint64Array.of(1n, 2n ** 63n));
    const { embedding } = batch([1, 2], new Int64());
    const table = new Table({ sample: ids, embedding: vectorFromArray(...embedding) });
    const bytes = asFile(new Table(new Schema(table.schema.fields, CARD), table.batches));
    expect(() => decodeBundle(bytes, 'f')).toThrow('got "9223372036854775808" (row 2)');
  });

  test('long ids', () => {
    expect(() => decodeBatch(batch(['a'.repeat(256)], new Utf8()))).toThrow(
      'got aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… of 256 characters',
    );
  });

  test('a needed column that occurs twice', () => {
    const [a, b] = [vectorFromArray(['a'], new Utf8()), vectorFromArray([[1, 2]], LISTS)];
    const fields = ['sample', 'sample', 'embedding'].map((name, i) => new Field(name, i < 2 ? a.type : b.type, true));
    const { data } = new Table({ x: a, y: a, z: b }).batches[0];
    const schema = new Schema(fields, CARD);
    expect(() => decodeBundle(asFile(new Table(schema, [new RecordBatch(schema, data)])), 'f')).toThrow(
      'f: must have one column sample, got it twice',
    );
  });

  test('a stream cut anywhere', () => {
    const bytes = asStream(tableOf([batch(['a', 'b'], new Utf8()), batch(['c'], new Utf8(), 5)]));
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeBundle(bytes.subarray(0, length), 'cut')).toThrow(
        expect.objectContaining({ code: 'F3_BUNDLE_FORMAT' }),
      );
    }
  });

  test('compressed buffers, with the option that turns them off', () => {
    compressionRegistry.set(CompressionType.ZSTD, { encode: (bytes) => zstdCompressSync(bytes) });
    const table = tableOf([batch(['a', 'b'], new Utf8())]);
    const bytes = RecordBatchFileWriter.writeAll(table, { compressionType: CompressionType.ZSTD }).toUint8Array(true);
    expect(() => decodeBundle(bytes, 'f')).toThrow(
      "f: must be a sound Arrow IPC file, got compressed buffers (compression='uncompressed' in Python and R avoids them)",
    );
  });
});

test('bytes changed anywhere give a bundle or an F3Error, nothing else', () => {
  const sound: Bundle = {
    owner: 'plant-7',
    samples: ['a', 'b', 'c', 'd'],
    sampleType: 'text',
    width: 3,
    embeddings: new Float32Array(12),
    classes: 2,
    probabilities: new Float32Array(8).fill(0.5),
  };
  const dictionary = tableOf([batch(['a', 'b', 'a'], new Dictionary(new Utf8(), new Int32()))]);
  const views = tableOf([batch(['a', 'a text too long to stand in a view'], new Utf8View())]);
  const originals = [encodeBundle(sound), asStream(dictionary), asFile(views)];
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.constantFrom(...originals), changes, (original, edits) => {
      const bytes = original.slice();
      for (const [at, value] of edits) bytes[at % bytes.length] = value;
      try {
        const { samples, width, embeddings } = decodeBundle(bytes, 'fuzzed');
        expect(embeddings.length).toBe(samples.length * width);
      } catch (error) {
        expect(error).toBeInstanceOf(F3Error);
      }
    }),
    { numRuns: 5000 },
  );
});
