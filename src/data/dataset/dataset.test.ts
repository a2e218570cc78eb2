import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { encodeArrow, floatListColumn, integerColumn, textColumn } from '../../base/arrow-table.ts';
import { openDataset, readOwnerFolder } from './dataset.ts';
import { DatasetWriter, type NewDataset, writeDataset } from './dataset-writer.ts';

let root: string;
let dir: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'f3-dataset-'));
  dir = join(root, 'out');
});
afterEach(() => rmSync(root, { recursive: true }));

const options: NewDataset = { name: 'toy', classes: ['calm', 'event'], simulated: true, source: { seed: 1 } };
const samples = ['s0', 's1', 's2', 's3'];
const labels = Int32Array.of(0, 1, 1, 0);
const split = { train: ['s3', 's0'], validation: ['s1'], test: ['s2'] };
const bus = { id: 'bus 7', length: 2, variates: ['v', 'i'], rate: '30 Hz' };
const fullBus = { ...bus, samples, windows: Float32Array.from({ length: 16 }, (_, i) => i / 2) };
const slowBus = { id: 'bus-8', length: 3, variates: ['v'], rate: '60 Hz' };
const partialBus = { ...slowBus, samples: ['s2', 's0'], windows: Float32Array.of(1, 2, 3, 4, 5, 6) };

async function fill(writer: DatasetWriter): Promise<void> {
  await writer.addOwner(fullBus);
  await writer.addOwner(partialBus);
  writer.setLabels(samples, labels);
  writer.setSplit(split);
  writer.setGraph([0, 0.5, 0.25, 0]);
  writer.writeTruth('graph/site.json', '[1]');
}

describe('a data set written and read back', () => {
  beforeEach(() => writeDataset(dir, options, fill));

  test('has the same card, labels, split and graph', async () => {
    const dataset = await openDataset(dir);
    const { name, classes, simulated, source } = dataset;
    expect({ name, classes, simulated, source }).toEqual(options);
    expect(dataset.owners).toEqual(['bus 7', 'bus-8']);
    expect(dataset.samples).toEqual(samples);
    expect(dataset.labels).toEqual(labels);
    expect(dataset.split).toEqual(split);
    expect(dataset.graph).toEqual(Float64Array.of(0, 0.5, 0.25, 0));
    expect(readdirSync(join(dir, 'truth', 'graph'))).toEqual(['site.json']);
  });

  test('keeps owners that differ in length, rate and variates, each with its own labels', async () => {
    const dataset = await openDataset(dir);
    expect(await dataset.owner('bus 7')).toMatchObject({
      ...fullBus,
      labels,
      parts: ['train', 'validation', 'test', 'train'],
    });
    const partial = { ...partialBus, labels: Int32Array.of(1, 0), parts: ['test', 'train'], classes: options.classes };
    expect(await dataset.owner('bus-8')).toEqual(partial);
  });

  test("reads one owner's folder when nothing else is there, under any folder name", async () => {
    const moved = join(root, 'elsewhere');
    renameSync(join(dir, 'owners', 'bus-8'), moved);
    rmSync(dir, { recursive: true });
    expect((await readOwnerFolder(moved)).id).toBe('bus-8');
    rmSync(join(moved, 'labels.arrow'));
    expect(await readOwnerFolder(moved)).toMatchObject({ labels: undefined, parts: undefined, classes: undefined });
  });

  test('leaves nothing beside it', () => {
    expect(readdirSync(root)).toEqual(['out']);
  });

  test('rejects an owner it does not have', async () => {
    const dataset = await openDataset(dir);
    await expect(dataset.owner('../x')).rejects.toThrow('owner must be one of bus 7, bus-8, got ../x');
  });

  test('is replaced only on request', async () => {
    await expect(writeDataset(dir, options, fill)).rejects.toMatchObject({ code: 'F3_DATA_EXISTS' });
    await writeDataset(dir, { ...options, name: 'new', overwrite: true }, fill);
    expect((await openDataset(dir)).name).toBe('new');
    expect(readdirSync(root)).toEqual(['out']);
  });
});

test('a directory that is no data set is never replaced', async () => {
  mkdirSync(dir);
  writeFileSync(join(dir, 'thesis.tex'), '');
  const forced = { ...options, overwrite: true };
  await expect(writeDataset(dir, forced, fill)).rejects.toThrow('only a data set or an empty directory is replaced');
  expect(readdirSync(dir)).toEqual(['thesis.tex']);
});

describe('bad pieces are refused and nothing is left behind', () => {
  const failing = (change: (writer: DatasetWriter) => Promise<void> | void) => async (writer: DatasetWriter) => {
    await fill(writer);
    await change(writer);
  };
  const owner = (change: Partial<typeof fullBus>) =>
    failing((w) => {
      w.setGraph(new Float64Array(9));
      return w.addOwner({ ...fullBus, id: 'third', ...change });
    });
  const windows = (at: number, value: number) => fullBus.windows.with(at, value);
  test.each([
    [
      'NaN',
      owner({ windows: windows(7, Number.NaN) }),
      'F3_DATA_NOT_FINITE',
      'owner third: readings must be finite, got NaN (sample s1, step 1, i)',
    ],
    [
      'infinity',
      owner({ windows: windows(0, -Infinity) }),
      'F3_DATA_NOT_FINITE',
      'got -Infinity (sample s0, step 0, v)',
    ],
    [
      'a wrong size',
      owner({ windows: new Float32Array(15) }),
      'F3_DATA_FORMAT',
      'owner third: windows must hold 4 × 2 × 2 numbers, got 15',
    ],
    [
      'a repeated sample',
      owner({ samples: ['s0', 's1', 's0', 's2'] }),
      'F3_DATA_DUPLICATE',
      'owner third: sample s0: must occur once',
    ],
    ['a repeated owner', owner({ id: 'Bus 7' }), 'F3_DATA_DUPLICATE', 'owner Bus 7: must occur once, got bus 7 before'],
    ['a path as id', owner({ id: '../x' }), 'F3_DATA_OWNER', 'got "../x"'],
    ['a dot as id', owner({ id: '..' }), 'F3_DATA_OWNER', 'got ".."'],
    [
      'an unlabelled sample',
      owner({ samples: ['s0', 's1', 's2', 's9'] }),
      'F3_DATA_LABEL',
      'owner third: every sample must have a label, got none for s9',
    ],
    [
      'a label out of range',
      failing((w) => w.setLabels(samples, Int32Array.of(0, 1, 2, 0))),
      'F3_DATA_LABEL',
      'label of sample s2: must be from 0 to 1 (calm, event), got 2',
    ],
    [
      'too few labels',
      failing((w) => w.setLabels(samples, Int32Array.of(0, 1))),
      'F3_DATA_LABEL',
      'got 2 for 4 samples',
    ],
    [
      'an overlapping split',
      failing((w) => w.setSplit({ ...split, test: ['s2', 's0'] })),
      'F3_DATA_SPLIT',
      'sample s0 must be in one part, got train and test',
    ],
    [
      'a graph of the wrong size',
      failing((w) => w.setGraph([1, 2, 3])),
      'F3_DATA_GRAPH',
      'must have 2 × 2 numbers (owners), got 3',
    ],
    [
      'a graph with NaN',
      failing((w) => w.setGraph([1, 2, Number.NaN, 3])),
      'F3_DATA_GRAPH',
      'got NaN (row 2, column 1)',
    ],
  ])('%s', async (_, bad, code, message) => {
    const error = await writeDataset(dir, options, bad).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(readdirSync(root)).toEqual([]);
  });

  test('no owner at all', async () => {
    const empty = async (writer: DatasetWriter) => {
      writer.setLabels(samples, labels);
      writer.setSplit(split);
    };
    await expect(writeDataset(dir, options, empty)).rejects.toMatchObject({ code: 'F3_DATA_EMPTY' });
  });
});

describe('files written by others are checked', () => {
  const write = (name: string, columns: Parameters<typeof encodeArrow>[0], metadata: Record<string, string>) => {
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, name), encodeArrow(columns, metadata));
  };
  const good = {
    'f3.format': 'f3-windows',
    'f3.version': '1',
    'f3.owner': 'x',
    'f3.length': '2',
    'f3.variates': '["v"]',
    'f3.rate': '1 Hz',
  };
  const window = floatListColumn(Float32Array.of(1, 2), 2);
  const sample = textColumn(['ä1']);

  test('a good one with a non-ASCII id passes', async () => {
    write('windows.arrow', { sample, window }, good);
    expect((await readOwnerFolder(dir)).samples).toEqual(['ä1']);
  });

  test.each([
    [
      'another format',
      { sample, window },
      { ...good, 'f3.format': 'x' },
      'f3.format and f3.version must be f3-windows 1, got x 1',
    ],
    ['a later version', { sample, window }, { ...good, 'f3.version': '2' }, 'got f3-windows 2'],
    [
      'another width',
      { sample, window },
      { ...good, 'f3.length': '3' },
      'column window must be fixed_size_list<float32>[3 × 1] without nulls, got FixedSizeList',
    ],
    [
      'numbers as ids',
      { sample: integerColumn(Int32Array.of(1)), window },
      good,
      'column sample must be utf8 without nulls, got Int32',
    ],
    ['no window', { sample }, good, 'got no such column'],
    [
      'bad variates',
      { sample, window },
      { ...good, 'f3.variates': 'v' },
      'metadata f3.variates must be a JSON list of names, got v',
    ],
  ])('%s', async (_, columns, metadata, message) => {
    write('windows.arrow', columns, metadata);
    await expect(readOwnerFolder(dir)).rejects.toMatchObject({
      code: 'F3_DATA_FORMAT',
      message: expect.stringContaining(message),
    });
  });

  test('labels out of range and missing labels', async () => {
    const metadata = { 'f3.format': 'f3-labels', 'f3.version': '1', 'f3.classes': '["a","b"]' };
    const part = textColumn(['train']);
    write('windows.arrow', { sample, window }, good);
    write('labels.arrow', { sample, label: integerColumn(Int32Array.of(2)), part }, metadata);
    await expect(readOwnerFolder(dir)).rejects.toMatchObject({ code: 'F3_DATA_LABEL' });
    write('labels.arrow', { sample: textColumn(['other']), label: integerColumn(Int32Array.of(1)), part }, metadata);
    await expect(readOwnerFolder(dir)).rejects.toThrow('must have a label for every window, got none for ä1');
  });

  test('bytes that are not Arrow, and a directory that is no data set', async () => {
    mkdirSync(dir);
    writeFileSync(join(dir, 'windows.arrow'), 'hello, this is not an Arrow file');
    await expect(readOwnerFolder(dir)).rejects.toMatchObject({ code: 'F3_DATA_UNREADABLE' });
    await expect(openDataset(root)).rejects.toThrow('dataset.json: must be readable, got no such file');
  });
});

test('abort removes what was written', async () => {
  const writer = DatasetWriter.create(dir, options);
  await writer.addOwner(fullBus);
  writer.abort();
  expect(readdirSync(root)).toEqual([]);
});
