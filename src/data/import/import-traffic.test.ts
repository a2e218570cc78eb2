import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { type PandasFrame, writePandasHdf5 } from '../../../test/support/write-pandas-hdf5.ts';
import { openDataset } from '../dataset/dataset.ts';
import { importTraffic, type TrafficImport } from './import-traffic.ts';

const HOURS = 24;
const sensors = ['773869', '767541'];
const start = Date.UTC(2012, 2, 1) / 1000;
const times = Array.from({ length: HOURS * 12 }, (_, i) => start + 300 * i);
/** The row's number, negative for the second sensor, and now and then a 0 for a missing reading. */
const values = times.flatMap((_, row) => (row % 50 === 49 ? [0, 0] : [row + 1, -row - 1]));

const frame = (change: Partial<PandasFrame> = {}): PandasFrame => ({
  sensors,
  times: BigInt64Array.from(times, (t) => BigInt(t) * 1_000_000_000n),
  values: Float64Array.from(values),
  ...change,
});
const csvRow = (row: number) =>
  `${new Date(times[row] * 1000).toISOString().slice(0, 19).replace('T', ' ')},${values[2 * row]},${values[2 * row + 1]}`;
const csvLines = () => [`,${sensors.join(',')}`, ...times.map((_, row) => csvRow(row))];

async function importInto(dir: string, file: string, change: Partial<TrafficImport> = {}) {
  return importTraffic({ file, out: join(dir, 'out'), split: '1', gaps: 'error', overwrite: false, ...change });
}

async function expectHourlyWindows(dir: string): Promise<void> {
  const dataset = await openDataset(join(dir, 'out'));
  expect(dataset.owners).toEqual(sensors);
  expect(dataset.classes).toEqual(['calm', 'rush']);
  expect(dataset.samples.slice(6, 8)).toEqual(['2012-03-01T06:00', '2012-03-01T07:00']);
  const rush = dataset.samples.filter((_, i) => dataset.labels[i] === 1).map((sample) => Number(sample.slice(11, 13)));
  expect(rush).toEqual([7, 8, 9, 16, 17, 18]);
  const owner = await dataset.owner('767541');
  expect(owner).toMatchObject({ length: 12, variates: ['speed'], rate: '12/h' });
  expect(Array.from(owner.windows)).toEqual(values.filter((_, i) => i % 2 === 1));
}

describe('pandas HDF5', () => {
  test('hourly windows and rush-hour labels', async () => {
    const dir = temporaryDirectory();
    await writePandasHdf5(join(dir, 'a.h5'), { df: frame() });
    const report = await importInto(dir, join(dir, 'a.h5'));
    expect(report).toEqual({ out: join(dir, 'out'), owners: 2, samples: 24, classes: [18, 6], dropped: 0 });
    await expectHourlyWindows(dir);
    const { name, source } = await openDataset(join(dir, 'out'));
    expect({ name, source }).toEqual({ name: 'a', source: { kind: 'traffic', file: 'a.h5', key: 'df' } });
  });

  test('sensor ids that are numbers, columns stored in several blocks, times in microseconds', async () => {
    const dir = temporaryDirectory();
    const microseconds = {
      times: BigInt64Array.from(times, (t) => BigInt(t) * 1_000_000n),
      indexAttributes: { kind: 'datetime64[us]' },
    };
    const numbered = frame({ sensors: BigInt64Array.from(sensors, BigInt), blocks: [[1], [0]], ...microseconds });
    await writePandasHdf5(join(dir, 'a.h5'), { speed: numbered });
    await importInto(dir, join(dir, 'a.h5'));
    await expectHourlyWindows(dir);
  });

  test('one of several frames by its key', async () => {
    const dir = temporaryDirectory();
    await writePandasHdf5(join(dir, 'a.h5'), {
      speed: frame(),
      flow: frame({ values: Float64Array.from(values, () => 1) }),
    });
    await importInto(dir, join(dir, 'a.h5'), { key: 'speed' });
    await expectHourlyWindows(dir);
  });
});

describe('CSV', () => {
  test('the same windows as from HDF5', async () => {
    const dir = temporaryDirectory();
    writeFileSync(join(dir, 'a.csv'), csvLines().join('\n'));
    await importInto(dir, join(dir, 'a.csv'));
    await expectHourlyWindows(dir);
  });

  test('other separators, quotes and a file name that looks like a pattern', async () => {
    const dir = temporaryDirectory();
    const quoted = csvLines().map((line, i) =>
      line.replaceAll(',', ';').replace(/^[^;]*/, i ? '"$&"' : '"time; local"'),
    );
    writeFileSync(join(dir, "it's [a]*.csv"), quoted.join('\r\n'));
    await importInto(dir, join(dir, "it's [a]*.csv"));
    await expectHourlyWindows(dir);
  });
});

test('split file and adjacency go into the data set, hours with gaps stay out on request', async () => {
  const dir = temporaryDirectory();
  const lines = csvLines();
  lines.splice(100, 1);
  writeFileSync(join(dir, 'a.csv'), lines.join('\n'));
  const positions = Array.from({ length: 23 }, (_, i) => i);
  const split = { train: positions.slice(0, 15), validation: positions.slice(15, 18), test: positions.slice(18) };
  writeFileSync(join(dir, 'split.json'), JSON.stringify(split));
  writeFileSync(join(dir, 'graph.csv'), '1,0.5\n0.25,1\n');
  const files = { split: join(dir, 'split.json'), adjacency: join(dir, 'graph.csv') };
  const report = await importInto(dir, join(dir, 'a.csv'), { gaps: 'drop', name: 'mine', ...files });
  expect(report).toMatchObject({ samples: 23, dropped: 1 });
  const dataset = await openDataset(join(dir, 'out'));
  expect(dataset.name).toBe('mine');
  expect(dataset.split.train).toEqual(dataset.samples.slice(0, 15));
  expect(dataset.graph).toEqual(Float64Array.of(1, 0.5, 0.25, 1));
});

describe('bad input is refused and nothing is written', () => {
  const csv = (edit: (lines: string[]) => void) => async (dir: string) => {
    const lines = csvLines();
    edit(lines);
    writeFileSync(join(dir, 'a.csv'), lines.join('\n'));
    return { file: join(dir, 'a.csv') };
  };
  const hdf5 =
    (frames: Record<string, PandasFrame>, options: Partial<TrafficImport> = {}) =>
    async (dir: string) => {
      await writePandasHdf5(join(dir, 'a.h5'), frames);
      return { file: join(dir, 'a.h5'), ...options };
    };
  const beside = (name: string, text: string, option: 'split' | 'adjacency') => async (dir: string) => {
    writeFileSync(join(dir, name), text);
    return { ...(await csv(() => {})(dir)), [option]: join(dir, name) };
  };
  const file = (name: string, bytes: string) => async (dir: string) => {
    writeFileSync(join(dir, name), bytes);
    return { file: join(dir, name) };
  };
  const nan = Float64Array.from(values).with(25, Number.NaN);
  const cases: [string, (dir: string) => Promise<Partial<TrafficImport> & { file: string }>, string, string][] = [
    [
      'a missing file',
      async (dir) => ({ file: join(dir, 'no.h5') }),
      'F3_DATA_UNREADABLE',
      'must be readable, got no such file',
    ],
    [
      'a missing CSV',
      async (dir) => ({ file: join(dir, 'no.csv') }),
      'F3_DATA_UNREADABLE',
      'must be readable, got no such file',
    ],
    ['a directory', async (dir) => ({ file: dir }), 'F3_DATA_UNREADABLE', 'got a directory'],
    ['text called .h5', file('a.h5', 'hello'), 'F3_DATA_UNREADABLE', 'must be an HDF5 file, got Not an HDF5 file'],
    [
      'a format we do not know',
      file('a.xlsx', 'PK'),
      'F3_DATA_UNREADABLE',
      'must end in .parquet, .csv, .tsv or .txt, got .xlsx',
    ],
    ['an empty CSV', file('a.csv', ''), 'F3_DATA_COLUMN', 'must have a timestamp and a column per sensor'],
    [
      'a short line',
      csv((l) => l.splice(9, 1, '2012-03-01 00:40:00,5')),
      'F3_DATA_UNREADABLE',
      'CSV Error on Line: 10',
    ],
    [
      'a wrong key',
      hdf5({ df: frame() }, { key: 'speed' }),
      'F3_DATA_KEY',
      'key must name a pandas frame of fixed format, one of df; got speed',
    ],
    ['several keys and no choice', hdf5({ a: frame(), b: frame() }), 'F3_DATA_KEY', 'one of a, b; got none'],
    [
      'a frame of table format',
      hdf5({ df: frame({ attributes: { pandas_type: 'frame_table' } }) }),
      'F3_DATA_KEY',
      'one of df (frame_table); got none',
    ],
    [
      'times with a zone',
      hdf5({ df: frame({ indexAttributes: { tz: 'US/Pacific' } }) }),
      'F3_DATA_COLUMN',
      'got times of zone US/Pacific',
    ],
    [
      'an index that is no time',
      hdf5({ df: frame({ indexAttributes: { kind: 'integer' } }) }),
      'F3_DATA_COLUMN',
      'got integer',
    ],
    [
      'NaN in HDF5',
      hdf5({ df: frame({ values: nan }) }),
      'F3_DATA_NOT_FINITE',
      'got NaN (sensor 767541 at 2012-03-01T01:00)',
    ],
    [
      'an empty cell',
      csv((l) => l.splice(3, 1, '2012-03-01 00:10:00,,1')),
      'F3_DATA_NOT_FINITE',
      'got an empty cell (sensor 773869 at 2012-03-01T00:10)',
    ],
    [
      'NaN in CSV',
      csv((l) => l.splice(3, 1, '2012-03-01 00:10:00,2,nan')),
      'F3_DATA_NOT_FINITE',
      'got "nan" (sensor 767541 at 2012-03-01T00:10)',
    ],
    [
      'a word for a number',
      csv((l) => l.splice(3, 1, '2012-03-01 00:10:00,fast,1')),
      'F3_DATA_NOT_FINITE',
      'got "fast"',
    ],
    [
      'a word for a time',
      csv((l) => l.splice(3, 1, 'noon,1,1')),
      'F3_DATA_COLUMN',
      'the first column must hold timestamps, got "noon" (row 3)',
    ],
    [
      'unsorted times',
      csv((l) => l.splice(3, 2, l[4], l[3])),
      'F3_DATA_ORDER',
      'times must ascend, got 2012-03-01T00:10 after 2012-03-01T00:15',
    ],
    [
      'duplicate times',
      csv((l) => l.splice(3, 0, l[3])),
      'F3_DATA_DUPLICATE',
      'times must occur once, got 2012-03-01T00:10 after 2012-03-01T00:10',
    ],
    [
      'times off the grid',
      csv((l) => l.splice(3, 1, '2012-03-01 00:12:00,1,1')),
      'F3_DATA_RATE',
      'got 2012-03-01T00:12',
    ],
    [
      'a window that spans a gap',
      csv((l) => l.splice(20, 1)),
      'F3_DATA_GAP',
      'window 2012-03-01T01:00 must have 12 readings, got 11 (none at 2012-03-01T01:35)',
    ],
    ['less than an hour', csv((l) => l.splice(8)), 'F3_DATA_EMPTY', 'must cover a whole hour'],
    ['a sensor twice', csv((l) => l.splice(0, 1, ',7,7')), 'F3_DATA_DUPLICATE', 'owner 7: must occur once'],
    ['a sensor that names no folder', csv((l) => l.splice(0, 1, ',../a,b')), 'F3_DATA_OWNER', 'got "../a"'],
    [
      'a split that overlaps',
      beside('s.json', '{"train":[1],"validation":[1],"test":[2]}', 'split'),
      'F3_DATA_SPLIT',
      'sample 2012-03-01T01:00 must be in one part, got train and validation',
    ],
    [
      'a split with unknown samples',
      beside('s.json', '{"train":["2013-01-01T00:00"],"validation":[1],"test":[2]}', 'split'),
      'F3_DATA_SPLIT',
      'names an unknown sample, got 2013-01-01T00:00',
    ],
    [
      'a missing split file',
      async (dir) => ({ ...(await csv(() => {})(dir)), split: join(dir, 's.json') }),
      'F3_DATA_UNREADABLE',
      's.json: must be readable, got no such file',
    ],
    [
      'a graph of the wrong size',
      beside('g.csv', '1,0\n', 'adjacency'),
      'F3_DATA_GRAPH',
      'must be 2 × 2 numbers, one row and column per owner, got 1 rows',
    ],
    ['a graph with ragged rows', beside('g.csv', '1,0\n1\n', 'adjacency'), 'F3_DATA_GRAPH', 'got 1 numbers in row 2'],
    ['a graph with words', beside('g.csv', '1,a\n1,1\n', 'adjacency'), 'F3_DATA_GRAPH', 'got "a" in row 1, column 2'],
  ];
  test.each(cases)('%s', async (_, prepare, code, message) => {
    const dir = temporaryDirectory();
    const { file: input, ...options } = await prepare(dir);
    const before = readdirSync(dir);
    const error = await importInto(dir, input, options).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(readdirSync(dir)).toEqual(before);
  });

  test('a truncated HDF5 file', async () => {
    const dir = temporaryDirectory();
    await writePandasHdf5(join(dir, 'a.h5'), { df: frame() });
    writeFileSync(join(dir, 'a.h5'), readFileSync(join(dir, 'a.h5')).subarray(0, 5000));
    const error = await importInto(dir, join(dir, 'a.h5')).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'F3_DATA_UNREADABLE',
      message: expect.stringContaining('File has been truncated'),
    });
  });

  test('an output directory that exists, before anything is read', async () => {
    const dir = temporaryDirectory();
    mkdirSync(join(dir, 'out'));
    await expect(importInto(dir, join(dir, 'no.h5'))).rejects.toMatchObject({ code: 'F3_DATA_EXISTS' });
  });
});

const shared = (name: string) => fileURLToPath(new URL(`../../../../shared/data/${name}`, import.meta.url));
test.for([
  ['metr-la.h5', 'metr-la-split.json', 'metr-la-adjacency.csv', 207, 2856, [2142, 714]],
  ['pems-bay-74.h5', 'pems-bay-split.json', 'pems-bay-74-adjacency.csv', 74, 4343, [3257, 1086]],
] as const)('%s as published', async ([file, split, adjacency, owners, samples, classes], { skip }) => {
  skip(!existsSync(shared(file)), `${file} is not in ../shared/data`);
  const dir = temporaryDirectory();
  const report = await importInto(dir, shared(file), { split: shared(split), adjacency: shared(adjacency) });
  expect(report).toMatchObject({ owners, samples, classes, dropped: 0 });
  const dataset = await openDataset(join(dir, 'out'));
  const { train } = JSON.parse(readFileSync(shared(split), 'utf8')) as { train: number[] };
  expect(dataset.split.train).toEqual(train.map((position) => dataset.samples[position]));
});
