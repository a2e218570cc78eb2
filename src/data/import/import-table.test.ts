import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { openDataset } from '../dataset/dataset.ts';
import { importTable, type TableImport } from './import-table.ts';

interface Row {
  owner: string;
  /** Seconds. */
  time: number;
  v: number | string;
  i: number | string;
  label: number | string;
}

/** 1 Hz from time 0: two owners, windows of 4 seconds that alternate between class 0 and 1. */
const rows = (seconds = 80, owners = ['b', 'a']): Row[] =>
  Array.from({ length: seconds }, (_, time) =>
    owners.map((owner, o) => ({ owner, time, v: time + o / 2, i: -time, label: Math.floor(time / 4) % 2 })),
  ).flat();
const csv = (table: Row[]) => `bus,t,v,i,event\n${table.map((r) => Object.values(r).join(',')).join('\n')}\n`;

async function importRows(dir: string, text: string, change: Partial<TableImport> = {}) {
  const file = change.file ?? join(dir, 'table.csv');
  if (!change.file) writeFileSync(file, text);
  const columns = { ownerColumn: 'bus', timeColumn: 't', valueColumns: ['v', 'i'], labelColumn: 'event' };
  const rest = { window: '4', timeUnit: 's', split: '1', gaps: 'error', overwrite: false } as const;
  return importTable({ file, out: join(dir, 'out'), ...columns, ...rest, ...change });
}

test('windows of consecutive readings, owners in order of appearance', async () => {
  const dir = temporaryDirectory();
  const report = await importRows(dir, csv(rows()));
  expect(report).toEqual({ out: join(dir, 'out'), owners: 2, samples: 20, classes: [10, 10], dropped: 0 });
  const dataset = await openDataset(join(dir, 'out'));
  expect(dataset.owners).toEqual(['b', 'a']);
  expect(dataset.classes).toEqual(['0', '1']);
  expect(dataset.samples.slice(0, 3)).toEqual(['0', '4', '8']);
  expect(Array.from(dataset.labels.slice(0, 4))).toEqual([0, 1, 0, 1]);
  const a = await dataset.owner('a');
  expect(a).toMatchObject({ length: 4, variates: ['v', 'i'], rate: '1 Hz' });
  expect(Array.from(a.windows.slice(8, 16))).toEqual([4.5, -4, 5.5, -5, 6.5, -6, 7.5, -7]);
});

test('the same from Parquet with timestamps, text labels and given classes', async () => {
  const dir = temporaryDirectory();
  writeFileSync(join(dir, 'source.csv'), csv(rows()));
  const duck = await (await DuckDBInstance.create()).connect();
  await duck.run(
    `COPY (SELECT bus, make_timestamp(1330560000000000 + t * 1000000) AS t, v, i,
       CASE event WHEN 0 THEN 'calm' ELSE 'fault' END AS event FROM '${join(dir, 'source.csv')}')
     TO '${join(dir, 'table.parquet')}'`,
  );
  duck.closeSync();
  const change = { file: join(dir, 'table.parquet'), classes: ['fault', 'calm', 'trip'], window: '4s' };
  expect(await importRows(dir, '', change)).toMatchObject({ samples: 20, classes: [10, 10, 0] });
  const dataset = await openDataset(join(dir, 'out'));
  expect(dataset.samples.slice(0, 2)).toEqual(['2012-03-01T00:00', '2012-03-01T00:00:04']);
  expect(dataset.classes).toEqual(change.classes);
  expect(Array.from((await dataset.owner('b')).windows.slice(8, 12))).toEqual([4, -4, 5, -5]);
});

test('timestamps as text, and numbers in another unit', async () => {
  const dir = temporaryDirectory();
  const stamped = rows().map((row) => ({ ...row, time: new Date(row.time * 1000).toISOString() as unknown as number }));
  await importRows(dir, csv(stamped));
  expect((await openDataset(join(dir, 'out'))).samples[1]).toBe('1970-01-01T00:00:04Z');
  const milliseconds = rows().map((row) => ({ ...row, time: row.time * 1000 }));
  await importRows(dir, csv(milliseconds), { timeUnit: 'ms', overwrite: true });
  const dataset = await openDataset(join(dir, 'out'));
  expect(dataset.samples[1]).toBe('4000');
  expect((await dataset.owner('a')).rate).toBe('1 Hz');
});

test('times with a zone are in UTC and say so, times without are as written', async () => {
  const dir = temporaryDirectory();
  const written = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
  const samplesOf = async (time: (row: Row) => string) => {
    await importRows(dir, csv(rows().map((row) => ({ ...row, time: time(row) as unknown as number }))), {
      overwrite: true,
    });
    return (await openDataset(join(dir, 'out'))).samples.slice(0, 2);
  };
  expect(await samplesOf(({ time }) => written(time))).toEqual(['1970-01-01T00:00', '1970-01-01T00:00:04']);
  const utc = ['1970-01-01T00:00Z', '1970-01-01T00:00:04Z'];
  expect(await samplesOf(({ time }) => `${written(time + 3600)}+01:00`)).toEqual(utc);
  expect(await samplesOf(({ time }) => `${written(time)}+00`)).toEqual(utc);
  // Owners may differ in how they write them.
  expect(await samplesOf(({ time, owner }) => `${written(time)}${owner === 'a' ? 'Z' : '+00:00'}`)).toEqual(utc);
  await expect(samplesOf(({ time, owner }) => `${written(time)}${owner === 'a' ? 'Z' : ''}`)).rejects.toThrow(
    'column t must have a zone in all of its times or in none, got 1970-01-01 00:00:00 and 1970-01-01 00:00:00Z',
  );
});

test('a label is the one most rows carry, over all owners; a tie goes to the higher class', async () => {
  const dir = temporaryDirectory();
  // Window 0: 5 of 8 rows say 0. Window 1: 4 of 8 say 1.
  const ones = new Set(['b0', 'b1', 'a3', 'b4', 'b5', 'a4', 'a5']);
  const table = rows(80).map((row) => ({ ...row, label: ones.has(`${row.owner}${row.time}`) ? 1 : 0 }));
  await importRows(dir, csv(table));
  expect(Array.from((await openDataset(join(dir, 'out'))).labels.slice(0, 3))).toEqual([0, 1, 0]);
});

test('an owner misses the samples it has no readings for, and the columns it never fills', async () => {
  const dir = temporaryDirectory();
  const table = rows(80).filter(({ owner, time }) => owner === 'b' || time < 8 || time >= 22);
  const partial = table.map((row) => (row.owner === 'a' ? { ...row, i: '' } : row));
  await importRows(dir, csv(partial), { gaps: 'drop' });
  const dataset = await openDataset(join(dir, 'out'));
  const a = await dataset.owner('a');
  expect(a.variates).toEqual(['v']);
  expect(a.samples.slice(0, 3)).toEqual(['0', '4', '24']);
  expect(dataset.samples).toHaveLength(20);
});

test('a window given as a duration lets owners differ in rate', async () => {
  const dir = temporaryDirectory();
  const fast = rows(40, ['fast']).flatMap((row) => [row, { ...row, time: row.time + 0.5 }]);
  await importRows(dir, csv([...rows(40, ['slow']), ...fast]), { window: '4s' });
  const dataset = await openDataset(join(dir, 'out'));
  expect(await dataset.owner('slow')).toMatchObject({ length: 4, rate: '1 Hz' });
  expect(await dataset.owner('fast')).toMatchObject({ length: 8, rate: '2 Hz' });
  expect((await dataset.owner('fast')).samples).toEqual((await dataset.owner('slow')).samples);
});

test('labels as text are classes in alphabetical order', async () => {
  const dir = temporaryDirectory();
  await importRows(dir, csv(rows().map((row) => ({ ...row, label: row.label ? 'apple' : 'zebra' }))));
  expect((await openDataset(join(dir, 'out'))).classes).toEqual(['apple', 'zebra']);
});

describe('bad input is refused and nothing is written', () => {
  const edit = (change: (row: Row) => Partial<Row> | undefined) =>
    csv(
      rows().flatMap((row) => {
        const changed = change(row);
        return changed ? [{ ...row, ...changed }] : [];
      }),
    );
  const at = (owner: string, time: number, change: Partial<Row> | undefined) =>
    edit((row) => (row.owner === owner && row.time === time ? change : {}));
  const cases: [string, string, Partial<TableImport>, string, string][] = [
    [
      'an unknown column',
      csv(rows()),
      { ownerColumn: 'meter' },
      'F3_DATA_COLUMN',
      'columns must be among bus, t, v, i, event, got meter',
    ],
    [
      'NaN',
      at('a', 5, { v: 'NaN' }),
      {},
      'F3_DATA_NOT_FINITE',
      'owner a: readings must be finite numbers, got NaN or an empty cell (v at 5)',
    ],
    ['an empty cell', at('a', 5, { i: '' }), {}, 'F3_DATA_NOT_FINITE', '(i at 5)'],
    ['infinity', at('a', 5, { i: 'inf' }), {}, 'F3_DATA_NOT_FINITE', 'got Infinity (i at 5)'],
    [
      'a word for a number',
      at('a', 5, { v: 'high' }),
      {},
      'F3_DATA_NOT_FINITE',
      'column v must hold numbers, got "high"',
    ],
    [
      'an empty owner',
      at('a', 5, { owner: '' }),
      {},
      'F3_DATA_COLUMN',
      'column bus must have a value in every row, got null (row 12)',
    ],
    [
      'a word for a time',
      at('a', 5, { time: 'noon' as unknown as number }),
      {},
      'F3_DATA_COLUMN',
      'column t must hold a time in every row, got "noon" (row 12)',
    ],
    ['unsorted times', at('a', 5, { time: 3 }), {}, 'F3_DATA_ORDER', 'owner a: times must ascend, got 3 after 4'],
    [
      'duplicate times',
      at('a', 5, { time: 4 }),
      {},
      'F3_DATA_DUPLICATE',
      'owner a: times must occur once, got 4 after 4',
    ],
    [
      'times off the grid',
      at('a', 5, { time: 5.4 }),
      {},
      'F3_DATA_RATE',
      'owner a: times must lie on the grid of 1 Hz, got 5.4',
    ],
    [
      'a window that spans a gap',
      at('a', 5, undefined),
      {},
      'F3_DATA_GAP',
      'owner a: window 4 must have 4 readings, got 3 (none at 5)',
    ],
    ['an empty label', at('a', 5, { label: '' }), {}, 'F3_DATA_LABEL', 'column event must have a value in every row'],
    [
      'a label out of range',
      at('a', 5, { label: 7 }),
      {},
      'F3_DATA_LABEL',
      'labels that are whole numbers must run from 0 without a hole, got 7',
    ],
    ['a negative label', at('a', 5, { label: -1 }), {}, 'F3_DATA_LABEL', 'got -1'],
    [
      'a label that is no class',
      csv(rows()),
      { classes: ['0', '2'] },
      'F3_DATA_LABEL',
      'labels must be among 0, 2, got 1',
    ],
    ['one class only', edit(() => ({ label: 0 })), {}, 'F3_DATA_LABEL', 'there must be at least two classes, got 0'],
    [
      'a bad window',
      csv(rows()),
      { window: 'long' },
      'F3_OPTION',
      'window: must be a number of readings (12) or a duration (1h), got long',
    ],
    ['a window of nothing', csv(rows()), { window: '0' }, 'F3_OPTION', 'got 0'],
    ['a bad rate', csv(rows()), { rate: 'fast' }, 'F3_OPTION', 'rate: must be like 30Hz'],
    [
      'a window that no owner fills',
      csv(rows()),
      { window: '1000' },
      'F3_DATA_EMPTY',
      'must hold a complete window of 1000, got none',
    ],
    [
      'a duration that holds no whole number of readings',
      csv(rows()),
      { rate: '1/3s', window: '4s' },
      'F3_DATA_RATE',
      'a window of 4s must hold a whole number of readings',
    ],
    [
      'different rates with a window in readings',
      edit(({ owner, time }) => (owner === 'a' && time % 2 ? undefined : {})),
      {},
      'F3_DATA_RATE',
      'owner a: must have the rate of owner b (1 Hz) where windows are counted in readings, got 30/min',
    ],
    ['an owner that names no folder', edit(({ owner }) => ({ owner: `${owner}/x` })), {}, 'F3_DATA_OWNER', 'got "b/x"'],
  ];
  test.each(cases)('%s', async (_, text, change, code, message) => {
    const dir = temporaryDirectory();
    const error = await importRows(dir, text, change).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(readdirSync(dir)).toEqual(['table.csv']);
  });
});
