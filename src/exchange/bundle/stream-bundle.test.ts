// A bundle that is checked while it streams: the same verdict as whole, on sound bundles, on broken ones and under attack.
import { readdirSync, readFileSync } from 'node:fs';
import {
  type DataType,
  Dictionary,
  Field,
  FixedSizeList,
  Float32,
  Float64,
  Int16,
  Int32,
  Int64,
  LargeUtf8,
  List,
  RecordBatchFileWriter,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  Table,
  Uint64,
  Utf8,
  Utf8View,
  vectorFromArray,
} from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import fc from '../../../test/support/seeded-fast-check.ts';
import { toyBundle } from '../../../test/support/toy-bundles.ts';
import { errorCode, F3Error } from '../../errors.ts';
import { type Bundle, decodeBundle, encodeBundle } from './bundle.ts';
import { UnusualLayout } from './bundle-columns.ts';
import { requireSound } from './check-bundle.ts';
import { type CheckedBundle, checkBundleStream } from './stream-bundle.ts';

const LIMITS = { rows: 1000, rowBytes: 4096 };
const CARD = { 'f3.format': 'f3-bundle', 'f3.version': '1', 'f3.owner': 'plant-7', 'f3.width': '2' };
const LISTS = new FixedSizeList(2, new Field('item', new Float32(), true));

type Column = [values: unknown[], type: DataType];

function tableOf(batches: Record<string, Column>[], card: Record<string, string> = CARD): Table {
  const parts = batches.map(
    (batch) =>
      new Table(
        Object.fromEntries(
          Object.entries(batch).map(([name, [values, type]]) => [name, vectorFromArray(values, type)]),
        ),
      ),
  );
  const schema = new Schema(parts[0].schema.fields, new Map(Object.entries(card)));
  return new Table(
    schema,
    parts.flatMap((part) => part.batches),
  );
}

const asStream = (table: Table) => RecordBatchStreamWriter.writeAll(table).toUint8Array(true);
const asFile = (table: Table) => RecordBatchFileWriter.writeAll(table).toUint8Array(true);
const batch = (ids: unknown[], type: DataType = new Utf8()): Record<string, Column> => ({
  sample: [ids, type],
  embedding: [ids.map((_, i) => [i + 1, 2.5 - i]), LISTS],
});

/** Checks bytes in chunks of a size that divides nothing. */
function streamed(bytes: Uint8Array, limits = LIMITS, chunk = 37): Promise<CheckedBundle> {
  async function* from(start = 0) {
    for (let at = start; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
  }
  return checkBundleStream(from, bytes.length, 'f', limits);
}

function whole(bytes: Uint8Array): CheckedBundle {
  const bundle = decodeBundle(bytes, 'f');
  const { samples, sampleType, embeddings: _embeddings, probabilities: _votes, ...card } = bundle;
  const warnings = requireSound(bundle).map(({ message }) => message);
  return { card, samples: samples.length, sampleType, warnings };
}

const TOY: Bundle = toyBundle(0, { samples: 40 });
const changed = (change: Partial<Bundle>) => encodeBundle({ ...TOY, ...change });

describe('a bundle that streams is judged as it is whole', () => {
  test.each<[string, Uint8Array]>([
    ['our own', encodeBundle(TOY)],
    ['one that states its noise', changed({ privacy: JSON.stringify({ bottleneck: 2 }), pseudonyms: 'ab'.repeat(32) })],
    ['one without votes', encodeBundle({ ...toyBundle(1), classes: undefined, probabilities: undefined } as never)],
    ['integer ids', changed({ sampleType: 'integer', samples: TOY.samples.map((_, i) => String(i - 7)) })],
    ['padded ids and characters of several bytes', changed({ samples: TOY.samples.map((id, i) => ` ${id}ü${i}`) })],
    ['times with zones', changed({ samples: TOY.samples.map((_, i) => new Date(i * 6e4).toISOString()) })],
    ['a row of zeros', changed({ embeddings: TOY.embeddings.map((value, i) => (i < 4 ? 0 : value)) })],
    ['a constant column and a large one', changed({ embeddings: TOY.embeddings.map((v, i) => [1, 1e5, v, v][i % 4]) })],
    ['a stream of several batches', asStream(tableOf([batch(['a', 'b']), batch(['c']), batch(['d', 'e', 'f'])]))],
    ['a file of several batches', asFile(tableOf([batch(['a', 'b']), batch(['c']), batch(['d', 'e', 'f'])]))],
    ['large_utf8', asFile(tableOf([batch(['a', 'bc'], new LargeUtf8())]))],
    ['int16', asFile(tableOf([batch([1, -2, 3], new Int16())]))],
    ['uint64', asStream(tableOf([batch([1n, 2n], new Uint64())]))],
    [
      'other columns, in any order',
      asFile(
        tableOf([
          {
            weather: [[1.5, null, 2.5], new Float64()],
            embedding: batch(['a', 'b', 'c']).embedding,
            notes: [[['x'], ['y', 'z'], null], new List(new Field('item', new Utf8(), true))],
            sample: batch(['a', 'b', 'c']).sample,
            place: [[{ x: 1 }, { x: 2 }, { x: 3 }], new Struct([new Field('x', new Int32(), true)])],
          },
        ]),
      ),
    ],
  ])('%s', async (_, bytes) => {
    expect(await streamed(bytes)).toEqual(whole(bytes));
  });

  test('as pyarrow and pandas write it', async () => {
    const folder = new URL('../../../test/fixtures/times/', import.meta.url);
    const files = readdirSync(folder).filter((file) => file.endsWith('.arrow'));
    for (const file of files) {
      const bytes = readFileSync(new URL(file, folder));
      const [expected, found] = await Promise.allSettled([(async () => whole(bytes))(), streamed(bytes)]);
      expect(found.status, file).toBe(expected.status);
      if (found.status === 'fulfilled') expect(found).toEqual(expected);
    }
    expect(files.length).toBeGreaterThan(3);
  });

  test.each<[string, Uint8Array]>([
    ['a sample twice', changed({ samples: TOY.samples.map((id, i) => (i === 30 ? 's0004' : id)) })],
    ['many samples twice', changed({ samples: TOY.samples.map((_, i) => `s${i % 10}`) })],
    ['integers twice', changed({ sampleType: 'integer', samples: TOY.samples.map((_, i) => String(i % 39)) })],
    ['an empty id', changed({ samples: TOY.samples.map((id, i) => (i === 3 ? '' : id)) })],
    [
      'zones in some times',
      changed({ samples: TOY.samples.map((_, i) => `2012-03-01T07:${10 + i}${i > 20 ? 'Z' : ''}`) }),
    ],
    ['NaN', changed({ embeddings: TOY.embeddings.map((value, i) => (i === 77 ? Number.NaN : value)) })],
    ['an infinite number', changed({ embeddings: TOY.embeddings.map((value, i) => (i > 77 ? 1 / 0 : value)) })],
    ['probabilities that sum to 2', changed({ probabilities: new Float32Array(80).fill(1) })],
    ['no samples', asFile(tableOf([{ sample: [[], new Utf8()], embedding: [[], LISTS] }]))],
    ['a column twice', doubled()],
    ['a width of zero', asFile(tableOf([batch(['a'])], { ...CARD, 'f3.width': '0' }))],
    ['another owner id rule', asFile(tableOf([batch(['a'])], { ...CARD, 'f3.owner': 'a/b' }))],
    ['control characters in an id', asFile(tableOf([batch(['a\0b', 'c'])]))],
    ['half characters in an id', asFile(tableOf([batch(['a\ud800b', 'c'])]))],
    ['NUL in the metadata', asFile(tableOf([batch(['a'])], { ...CARD, 'f3.model': 'x\0' }))],
    ['an id of 256 bytes', asFile(tableOf([batch(['x'.repeat(256)])]))],
  ])('and refused for %s', async (_, bytes) => {
    const expected = thrownBy(() => whole(bytes));
    const found = await streamed(bytes).catch((error: F3Error) => error);
    expect(found).toBeInstanceOf(F3Error);
    expect((found as F3Error).code).toBe(expected.code);
    if (expected.code !== 'F3_BUNDLE_ID') expect((found as F3Error).message).toBe(expected.message);
  });

  /** apache-arrow writes no such table, so the name of another column is overwritten. */
  function doubled(): Uint8Array {
    const twice = asFile(tableOf([{ ...batch(['a', 'b']), elsewhere: batch(['a', 'b']).embedding }])).slice();
    const text = Buffer.from(twice.buffer);
    for (let at = text.indexOf('elsewhere'); at >= 0; at = text.indexOf('elsewhere')) text.write('embedding', at);
    return twice;
  }

  test.each<[string, DataType]>([
    ['dictionaries', new Dictionary(new Utf8(), new Int32())],
    ['views', new Utf8View()],
  ])('unless it has %s, which are read whole', async (_, type) => {
    await expect(streamed(asFile(tableOf([batch(['a', 'a text too long for a view'], type)])))).rejects.toThrow(
      UnusualLayout,
    );
  });
});

describe('an attack on the check', () => {
  test.each<[string, Uint8Array, typeof LIMITS, string]>([
    ['more rows than allowed', encodeBundle(TOY), { rows: 39, rowBytes: 4096 }, 'must have at most 39 samples, got 40'],
    [
      'more rows than allowed, in batches',
      asStream(tableOf(Array.from({ length: 20 }, (_, i) => batch([`a${i}`, `b${i}`])))),
      { rows: 39, rowBytes: 4096 },
      'must have at most 39 samples, got 40',
    ],
    ['wider rows than allowed', encodeBundle(TOY), { rows: 40, rowBytes: 23 }, 'at most 23 bytes, got 24'],
  ])('with %s is over its limit', async (_, bytes, limits, message) => {
    await expect(streamed(bytes, limits)).rejects.toMatchObject({
      code: 'F3_UPLOAD_LIMIT',
      message: expect.stringContaining(message),
    });
  });

  test('with 120 million ids that are announced and not there is refused by its first message', async () => {
    const bytes = asStream(tableOf([batch([5n, 7n], new Int64())])).slice();
    const view = new DataView(bytes.buffer);
    // Every 2 that counts rows becomes 120 million.
    for (let at = 0; at + 8 <= bytes.length; at += 8) {
      if (view.getBigInt64(at, true) === 2n) view.setBigInt64(at, 120_000_000n, true);
    }
    const code = await streamed(bytes).catch(errorCode);
    expect(['F3_UPLOAD_LIMIT', 'F3_BUNDLE_FORMAT']).toContain(code);
  });

  test('with thousands of batches of one row is accepted, and with a hundred thousand is over the limit', async () => {
    const rows = Array.from({ length: 3000 }, (_, i) => batch([`s${i}`]));
    const bytes = asFile(tableOf(rows));
    expect(await streamed(bytes, { rows: 3000, rowBytes: 4096 }, 65_536)).toEqual(whole(bytes));
  });

  test('with an end cut off anywhere is refused', async () => {
    for (const bytes of [encodeBundle(TOY), asStream(tableOf([batch(['a', 'b'])]))]) {
      for (let length = 0; length < bytes.length; length += 1 + (length % 7)) {
        await expect(streamed(bytes.subarray(0, length))).rejects.toMatchObject({ code: 'F3_BUNDLE_FORMAT' });
      }
    }
  });

  test('with bytes changed anywhere gives the verdict of the whole bundle, or a refusal', async () => {
    const originals = [
      encodeBundle(toyBundle(0, { samples: 5 })),
      asStream(tableOf([batch(['a', 'b']), batch(['c'])])),
      asFile(tableOf([batch(['a', 'b'], new LargeUtf8()), batch(['c'], new LargeUtf8())])),
      asFile(tableOf([batch([1n, 2n, 3n], new Int64())])),
    ];
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 });
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...originals), changes, async (original, edits) => {
        const bytes = original.slice();
        for (const [at, value] of edits) bytes[at % bytes.length] = value;
        const found = await streamed(bytes, LIMITS, 1000).catch((error: unknown) => error);
        if (found instanceof Error) {
          expect(found instanceof F3Error || found instanceof UnusualLayout, found.stack).toBe(true);
          return;
        }
        accepted++;
        expect(found).toEqual(whole(bytes));
      }),
      { numRuns: 3000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });
});

function thrownBy(run: () => unknown): F3Error {
  try {
    run();
  } catch (error) {
    return error as F3Error;
  }
  throw new Error('nothing was thrown');
}
