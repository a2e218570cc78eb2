import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import fc from '../../../test/support/seeded-fast-check.ts';
import { encodeArrow, floatListColumn, integerColumn, textColumn } from '../../base/arrow-table.ts';
import { type Bundle, bundleHash, decodeBundle, encodeBundle } from './bundle.ts';
import type { SampleType } from './sample-ids.ts';

const bundle: Bundle = {
  owner: 'plant-7',
  samples: ['2012-03-01T07:00', 'größer', 's3'],
  sampleType: 'text',
  width: 2,
  embeddings: Float32Array.of(1, 2, -3, 4, 0.5, 6),
  classes: 2,
  probabilities: Float32Array.of(0.25, 0.75, 1, 0, 0.5, 0.5),
  model: 'sha256:abc',
  created: '2026-05-01T12:00:00Z',
};

const CARD = { 'f3.format': 'f3-bundle', 'f3.version': '1', 'f3.owner': 'a', 'f3.width': '2' };
const columns = () => ({
  sample: textColumn(['x', 'y']),
  embedding: floatListColumn(Float32Array.of(1, 2, 3, 4), 2),
});
const decodeWith = (changes: Record<string, string | undefined>) => {
  const entries = Object.entries({ ...CARD, ...changes }).filter(([, value]) => value !== undefined);
  return decodeBundle(encodeArrow(columns(), Object.fromEntries(entries) as Record<string, string>), 'a.arrow');
};

test('a bundle survives the way through a file', () => {
  expect(decodeBundle(encodeBundle(bundle), 'x')).toEqual(bundle);
});

test('without probabilities, model and time they stay absent', () => {
  const { classes: _c, probabilities: _p, model: _m, created: _t, ...bare } = bundle;
  expect(Object.keys(decodeBundle(encodeBundle(bare), 'x')).sort()).toEqual(Object.keys(bare).sort());
});

test('integer ids keep all 64 bits', () => {
  const integers = { ...bundle, sampleType: 'integer' as const, samples: ['9223372036854775807', '-3', '0'] };
  expect(decodeBundle(encodeBundle(integers), 'x')).toEqual(integers);
});

test('any bundle survives, bit for bit', () => {
  const owner = fc.string({ unit: fc.constantFrom(...'abcäß09_-'), minLength: 1, maxLength: 20 });
  const text = fc.string({ unit: 'binary', maxLength: 60 }).map((any) => any.replaceAll(/[\p{Cc}\uFFFD]/gu, '_'));
  const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
  const time = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
  const sizes = fc.record({ rows: fc.nat(20), width: fc.integer({ min: 1, max: 9 }), classes: fc.nat(4) });
  const bundles = fc.tuple(sizes, fc.boolean()).chain(([{ rows, width, classes }, isText]) => {
    const floats = (length: number) => fc.float32Array({ minLength: length, maxLength: length });
    return fc.record({
      owner,
      samples: fc.array(isText ? text : integer, { minLength: rows, maxLength: rows }),
      sampleType: fc.constant<SampleType>(isText ? 'text' : 'integer'),
      width: fc.constant(width),
      embeddings: floats(rows * width),
      ...(classes > 0 && { classes: fc.constant(classes), probabilities: floats(rows * classes) }),
      ...(rows % 2 > 0 && { model: text, created: time.map((date) => date.toISOString()) }),
    });
  });
  fc.assert(
    fc.property(bundles, (any: Bundle) => {
      const bytes = encodeBundle(any);
      expect(decodeBundle(bytes, 'x')).toEqual(any);
      expect(Buffer.compare(encodeBundle(any), bytes)).toBe(0);
    }),
    { numRuns: 300 },
  );
});

test('the hash is the SHA-256 of the bytes and the same for the same bundle', () => {
  const bytes = encodeBundle(bundle);
  expect(bundleHash(bytes)).toBe(createHash('sha256').update(bytes).digest('hex'));
  expect(bundleHash(encodeBundle({ ...bundle }))).toBe(bundleHash(bytes));
  expect(bundleHash(encodeBundle({ ...bundle, owner: 'plant-8' }))).not.toBe(bundleHash(bytes));
});

test('bytes may start anywhere in a larger buffer', () => {
  const bytes = encodeBundle(bundle);
  const larger = new Uint8Array(bytes.length + 3);
  larger.set(bytes, 3);
  expect(decodeBundle(larger.subarray(3), 'x')).toEqual(bundle);
});

describe('writing refuses', () => {
  test.each<[string, Partial<Bundle>, string]>([
    ['an owner id that names no folder', { owner: 'a/b' }, 'F3_BUNDLE_OWNER'],
    ['too few numbers', { embeddings: new Float32Array(5) }, 'F3_BUNDLE_COUNT'],
    ['too few probabilities', { probabilities: new Float32Array(5) }, 'F3_BUNDLE_COUNT'],
    ['width 0', { width: 0, embeddings: new Float32Array() }, 'F3_BUNDLE_COUNT'],
    ['text where ids are integers', { sampleType: 'integer' }, 'F3_BUNDLE_ID'],
    ['integers beyond 64 bits', { sampleType: 'integer', samples: ['1', '2', '9223372036854775808'] }, 'F3_BUNDLE_ID'],
    ['integers with leading zeros', { sampleType: 'integer', samples: ['1', '2', '03'] }, 'F3_BUNDLE_ID'],
    ['ids of more than 255 bytes', { samples: ['a', 'b', 'ü'.repeat(128)] }, 'F3_BUNDLE_ID'],
    ['half a character', { samples: ['a', 'b', '\ud83d'] }, 'F3_BUNDLE_ID'],
    ['a time without zone', { created: '2026-05-01T12:00:00' }, 'F3_BUNDLE_FORMAT'],
    ['a time that is none', { created: 'yesterday' }, 'F3_BUNDLE_FORMAT'],
  ])('%s', (_, change, code) => {
    expect(() => encodeBundle({ ...bundle, ...change })).toThrow(expect.objectContaining({ code }));
  });

  test('naming the thing, the rule and the value', () => {
    expect(() => encodeBundle({ ...bundle, sampleType: 'integer' })).toThrow(
      'bundle plant-7: sample id must be a whole number of 64 bits, got "2012-03-01T07:00" (row 1)',
    );
    expect(() => encodeBundle({ ...bundle, embeddings: new Float32Array(5) })).toThrow(
      'bundle plant-7: embeddings must hold 3 × 2 numbers, one row per sample, got 5',
    );
  });
});

describe('reading refuses', () => {
  test.each<[string, Record<string, string | undefined>, string, string]>([
    ['no format', { 'f3.format': undefined }, 'F3_BUNDLE_FORMAT', 'f3.format must be f3-bundle, got no such key'],
    [
      'another format',
      { 'f3.format': 'f3-windows' },
      'F3_BUNDLE_FORMAT',
      'f3.format must be f3-bundle, got f3-windows',
    ],
    ['no version', { 'f3.version': undefined }, 'F3_BUNDLE_FORMAT', 'schema metadata must have f3.version'],
    ['a newer version', { 'f3.version': '2' }, 'F3_BUNDLE_VERSION', 'must be 1, got 2; a newer f3 wrote it'],
    ['an odd version', { 'f3.version': '1.0' }, 'F3_BUNDLE_VERSION', 'f3.version must be 1, got 1.0'],
    ['no owner', { 'f3.owner': undefined }, 'F3_BUNDLE_FORMAT', 'schema metadata must have f3.owner'],
    ['an owner id that climbs', { 'f3.owner': '../a' }, 'F3_BUNDLE_OWNER', 'got "../a"'],
    ['no width', { 'f3.width': undefined }, 'F3_BUNDLE_FORMAT', 'schema metadata must have f3.width'],
    ['another width', { 'f3.width': '3' }, 'F3_BUNDLE_FORMAT', 'f3.width must be the list size 2, got 3'],
    ['a bad time', { 'f3.created': 'May' }, 'F3_BUNDLE_FORMAT', 'got May'],
  ])('%s', (_, change, code, message) => {
    expect(() => decodeWith(change)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(/^a\.arrow: /) }),
    );
    expect(() => decodeWith(change)).toThrow(message);
  });

  test('unknown metadata are not refused', () => {
    expect(decodeWith({ 'f3.future': 'x', pandas: '{}' }).samples).toEqual(['x', 'y']);
  });

  test('a missing column, naming those that are there', () => {
    const { embedding, sample } = columns();
    expect(() => decodeBundle(encodeArrow({ sample }, CARD), 'a')).toThrow(
      'must have one column embedding, got columns sample',
    );
    expect(() => decodeBundle(encodeArrow({ embedding }, CARD), 'a')).toThrow(
      'must have one column sample, got columns embedding',
    );
  });

  test('embeddings that are single integers', () => {
    const wrong = { sample: textColumn(['x']), embedding: integerColumn(Int32Array.of(1)) };
    expect(() => decodeBundle(encodeArrow(wrong, CARD), 'a')).toThrow(
      'a: column embedding must be fixed_size_list<float32>[d], got Int32; docs/bundle-format.md shows how to build it',
    );
  });

  test('every truncation, of a file and of nothing', () => {
    const bytes = encodeBundle(bundle);
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeBundle(bytes.subarray(0, length), 'cut')).toThrow(
        expect.objectContaining({ code: 'F3_BUNDLE_FORMAT' }),
      );
    }
  });

  test.each([
    ['PAR1…', 'a Parquet file (f3 bundle from-parquet converts it)'],
    ['\x93NUMPY\x01', 'a NumPy array (f3 bundle from-npy converts it)'],
    ['PK\x03\x04', 'a ZIP or .npz archive'],
    ['sample,e0,e1', 'something else'],
    ['', 'an empty file'],
  ])('%j, saying what it is', (text, what) => {
    expect(() => decodeBundle(Buffer.from(text, 'latin1'), 'f')).toThrow(`f: must be an Arrow IPC file, got ${what}`);
  });
});
