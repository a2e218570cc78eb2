// Owners in different languages write the same times in different ways, and their bundles join all the same.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  type DataType,
  Field,
  FixedSizeList,
  Float32,
  LargeUtf8,
  RecordBatchFileWriter,
  RecordBatchStreamWriter,
  Schema,
  Table,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { Engine } from '../src/core/engine/engine.ts';
import { type Bundle, decodeBundle, encodeBundle } from '../src/exchange/bundle/bundle.ts';
import { checkBundle } from '../src/exchange/bundle/check-bundle.ts';
import { compareBundles } from '../src/exchange/bundle/compare-bundles.ts';
import { readNpyIds } from '../src/exchange/bundle/npy.ts';
import { makeLabelSet } from '../src/exchange/labels/labels.ts';
import { parseSplitFile } from '../src/exchange/labels/split.ts';
import { splitIds } from '../src/exchange/labels/split-sources.ts';
import { BundleJoin } from '../src/fuse/join/bundle-join.ts';

const TIMES = ['2012-03-01T07:00', '2012-03-01T07:05:30', '2012-03-01T08:00:00.25'];
const ZONED = TIMES.map((time) => `${time}Z`);

const fixture = (name: string) => readFileSync(fileURLToPath(new URL(`fixtures/times/${name}`, import.meta.url)));
const python = (name: string): Bundle => decodeBundle(fixture(`${name}.arrow`), name);

/** As a writer in another language lays it out: nullable fields, our metadata. */
function foreign(owner: string, ids: string[], type: DataType, asStream: boolean): Bundle {
  const lists = new FixedSizeList(2, new Field('item', new Float32(), true));
  const columns = new Table({
    sample: vectorFromArray(ids, type),
    embedding: vectorFromArray(
      ids.map((_, i) => [i, -i]),
      lists,
    ),
  });
  const card = new Map(
    Object.entries({ 'f3.format': 'f3-bundle', 'f3.version': '1', 'f3.owner': owner, 'f3.width': '2' }),
  );
  const table = new Table(new Schema(columns.schema.fields, card), columns.batches);
  const writer = asStream ? RecordBatchStreamWriter : RecordBatchFileWriter;
  return decodeBundle(writer.writeAll(table).toUint8Array(true), owner);
}

// R's arrow package writes utf8; Java's Arrow writes streams.
const r = foreign('r', ['2012-03-01 07:00:00', '2012-03-01 07:05:30', '2012-03-01 08:00:00.25'], new Utf8(), false);
const java = foreign('java', ['2012-03-01T07:00', '2012-03-01T07:05:30', '2012-03-01T08:00:00.250'], new Utf8(), true);
const rUtc = foreign(
  'r-utc',
  ['2012-03-01 07:00:00 UTC', '2012-03-01 07:05:30 UTC', '2012-03-01 08:00:00.25 UTC'],
  new LargeUtf8(),
  false,
);
const javaParis = foreign(
  'java-paris',
  [
    '2012-03-01T08:00+01:00[Europe/Paris]',
    '2012-03-01T08:05:30+01:00[Europe/Paris]',
    '2012-03-01T09:00:00.250+01:00[Europe/Paris]',
  ],
  new Utf8(),
  true,
);

async function join(bundles: readonly Bundle[], samples?: readonly string[]) {
  const engine = new Engine({ threads: 1 });
  try {
    const join = new BundleJoin(engine, { samples, expected: bundles.length, ...(samples && { owners: bundles }) });
    for (const bundle of bundles) join.add(bundle, 'hash');
    const { samples: found, isComplete } = join.finish();
    return { samples: found, isComplete };
  } finally {
    await engine.dispose();
  }
}

describe('times as other languages write them', () => {
  it('join without a zone: pandas, Python, Arrow, NumPy, R, Java', async () => {
    const bundles = [...['pandas', 'isoformat', 'pyarrow', 'numpy'].map(python), r, java];
    expect(await join(bundles)).toEqual({ samples: TIMES, isComplete: true });
    expect(compareBundles(bundles)).toEqual([]);
  });

  it('join with a zone, whichever: pandas in UTC and in Paris, Arrow, R, Java', async () => {
    const bundles = [...['pandas-utc', 'pandas-paris', 'pyarrow-utc'].map(python), rUtc, javaParis];
    expect(await join(bundles)).toEqual({ samples: ZONED, isComplete: true });
  });

  it('meet labels and splits, written in yet another way', async () => {
    const labels = makeLabelSet(
      ['2012-03-01 07:00:00.0', '2012-03-01 07:05:30.0', '2012-03-01 08:00:00.250'],
      ['a', 'b', 'a'],
      'l',
    );
    expect(labels.samples).toEqual(TIMES);
    expect(await join([python('pandas'), java], labels.samples)).toEqual({ samples: TIMES, isComplete: true });
    const split = {
      train: ['2012-03-01 07:00:00'],
      validation: ['2012-03-01 07:05:30'],
      test: ['2012-03-01T08:00:00.250000'],
    };
    const canonical = { train: [TIMES[0]], validation: [TIMES[1]], test: [TIMES[2]] };
    expect(splitIds(split, labels.samples)).toEqual(canonical);
    expect(parseSplitFile(JSON.stringify(split), 's.json', labels.samples)).toEqual(canonical);
    const csv =
      'sample,split\n2012-03-01 07:00:00,train\n"2012-03-01 07:05:30",validation\n2012-03-01 08:00:00.25,test\n';
    expect(parseSplitFile(csv, 's.csv', labels.samples)).toEqual(canonical);
  });

  it('come out of a .npy file of datetime64', () => {
    expect(readNpyIds(fixture('datetime64.npy'), 'ids.npy')).toEqual({ samples: TIMES, sampleType: 'text' });
  });

  it('are canonical in what f3 writes, so that every reader sees the same', () => {
    const written = encodeBundle({
      ...python('pandas'),
      samples: ['2012-03-01 07:00:00', 'b', '2012-03-01 08:00:00.250+01:00'],
    });
    const { samples } = decodeBundle(written, 'w');
    expect(samples).toEqual(['2012-03-01T07:00', 'b', '2012-03-01T07:00:00.25Z']);
    expect(Buffer.from(written).includes('2012-03-01 07')).toBe(false);
  });
});

describe('times of which some have a zone', () => {
  const mixed = ['2012-03-01 07:00:00', '2012-03-01 07:05:30Z', 'c'];

  it('are refused in one bundle and in one set of labels', () => {
    const bundle = foreign('mixed', mixed, new Utf8(), false);
    expect(checkBundle(bundle)[0]).toMatchObject({
      level: 'error',
      code: 'F3_BUNDLE_ID',
      message:
        'bundle mixed: sample ids that are times must all have a zone or none of them, got 2012-03-01T07:00 in row 1 and 2012-03-01T07:05:30Z in row 2',
    });
    expect(() => makeLabelSet(mixed, ['a', 'b', 'a'], 'labels')).toThrow(
      'labels: sample ids that are times must all have a zone or none of them',
    );
  });

  it('are refused between bundles, and between a bundle and the labels', async () => {
    const rule = 'sample ids that are times must have a zone everywhere or nowhere';
    await expect(join([python('pandas'), rUtc])).rejects.toThrow(
      `bundle r-utc: ${rule}, got 2012-03-01T07:00Z from r-utc, 2012-03-01T07:00 from pandas`,
    );
    await expect(join([rUtc], TIMES)).rejects.toThrow(
      `bundle r-utc: ${rule}, got 2012-03-01T07:00Z from r-utc, 2012-03-01T07:00 from the samples asked for`,
    );
    expect(compareBundles([python('pandas'), rUtc])[0]).toMatchObject({ level: 'error', code: 'F3_BUNDLE_ID_TYPE' });
  });

  it('that are the same moment twice are one sample twice', () => {
    const bundle = foreign('twice', ['2012-03-01T07:00Z', '2012-03-01 08:00:00+01:00', 'c'], new Utf8(), false);
    expect(checkBundle(bundle)[0]).toMatchObject({ level: 'error', code: 'F3_BUNDLE_DUPLICATE' });
  });
});
