import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import { readEmbeddingTable } from './embedding-table.ts';

const expected = {
  samples: ['a', 'b', 'c'],
  sampleType: 'text',
  width: 2,
  embeddings: Float32Array.of(1, 2, 3, 4, 5, 6.5),
};

describe('CSV', () => {
  function csv(text: string): string {
    const file = join(temporaryDirectory(), 'e.csv');
    writeFileSync(file, text);
    return file;
  }

  test('takes all other columns, or those named, in their order', async () => {
    const file = csv('e0,sample,e1\n1,a,2\n3,b,4\n5,c,6.5\n');
    expect(await readEmbeddingTable(file, { idColumn: 'sample' })).toEqual(expected);
    const { embeddings } = await readEmbeddingTable(file, { idColumn: 'sample', columns: ['e1', 'e0'] });
    expect(embeddings).toEqual(Float32Array.of(2, 1, 4, 3, 6.5, 5));
  });

  test('probabilities by name are no part of the embedding; semicolons may separate', async () => {
    const file = csv('id;x;y;calm;rush\na;1;2;.5;.5\nb;3;4;1;0\nc;5;6.5;0;1\n');
    const votes = { classes: 2, probabilities: Float32Array.of(0.5, 0.5, 1, 0, 0, 1) };
    const options = { idColumn: 'id', probabilityColumns: ['calm', 'rush'] };
    expect(await readEmbeddingTable(file, options)).toEqual({ ...expected, ...votes });
  });

  test.each([
    [
      'text',
      'sample,e0\na,1\nb,high\n',
      'F3_BUNDLE_NOT_FINITE',
      'column e0 must hold finite numbers within float32, got high (row 2, sample b)',
    ],
    ['an empty cell', 'sample,e0\na,1\nb,\n', 'F3_BUNDLE_NOT_FINITE', 'got an empty cell (row 2, sample b)'],
    ['NaN', 'sample,e0\na,1\nb,nan\n', 'F3_BUNDLE_NOT_FINITE', 'got nan (row 2, sample b)'],
    ['numbers beyond float32', 'sample,e0\na,1\nb,1e39\n', 'F3_BUNDLE_NOT_FINITE', 'got 1e39 (row 2, sample b)'],
    [
      'an empty id',
      'sample,e0\na,1\n,2\n',
      'F3_BUNDLE_ID',
      'column sample must have an id in every row, got an empty cell (row 2)',
    ],
    ['no id column', 'id,e0\na,1\n', 'F3_DATA_COLUMN', 'columns must be among id, e0, got sample'],
    ['no numbers', 'sample\na\n', 'F3_DATA_COLUMN', 'must have columns of numbers beside the ids, got none'],
    ['a short line', 'sample,e0,e1\na,1,2\nb,3\n', 'F3_DATA_UNREADABLE', 'must be readable as a table'],
  ])('refuses %s', async (_, text, code, message) => {
    const read = readEmbeddingTable(csv(text), { idColumn: 'sample' });
    await expect(read).rejects.toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
  });

  test('a table without rows gives no samples, which no bundle may have', async () => {
    expect(await readEmbeddingTable(csv('sample,e0\n'), { idColumn: 'sample' })).toMatchObject({
      samples: [],
      width: 1,
    });
  });
});

describe('Parquet', () => {
  async function parquet(select: string): Promise<string> {
    const file = join(temporaryDirectory(), 'e.parquet');
    const instance = await DuckDBInstance.create(':memory:');
    const connection = await instance.connect();
    await connection.run(`COPY (${select}) TO '${file}' (FORMAT parquet)`);
    connection.closeSync();
    instance.closeSync();
    return file;
  }

  test.each([
    [
      'one column per number',
      "SELECT * FROM (VALUES ('a', 1, 2::DOUBLE), ('b', 3, 4), ('c', 5, 6.5)) t(sample, e0, e1)",
    ],
    ['a column of lists', "SELECT * FROM (VALUES ('a', [1, 2]), ('b', [3, 4]), ('c', [5, 6.5])) t(sample, e)"],
    [
      'a column of arrays',
      "SELECT sample, e::FLOAT[2] AS e FROM (VALUES ('a', [1, 2]), ('b', [3, 4]), ('c', [5, 6.5])) t(sample, e)",
    ],
  ])('%s', async (_, select) => {
    expect(await readEmbeddingTable(await parquet(select), { idColumn: 'sample' })).toEqual(expected);
  });

  test('ids are integers where their column is', async () => {
    const file = await parquet('SELECT range AS id, range * 2.5 AS e, [0.25, 0.75] AS p FROM range(3)');
    const options = { idColumn: 'id', columns: ['e'], probabilityColumns: ['p'] };
    const found = await readEmbeddingTable(file, options);
    expect(found).toMatchObject({ samples: ['0', '1', '2'], sampleType: 'integer', width: 1, classes: 2 });
  });

  test.each([
    ['TIMESTAMP', '2012-03-01 07:00:00', '2012-03-01T07:00'],
    ['TIMESTAMP_NS', '2012-03-01 07:00:00.25', '2012-03-01T07:00:00.25'],
    ['TIMESTAMPTZ', '2012-03-01 08:00:00+01', '2012-03-01T07:00Z'],
    ['VARCHAR', '2012-03-01 07:00:00', '2012-03-01T07:00'],
  ])('ids of type %s are times in their canonical form', async (type, written, canonical) => {
    const file = await parquet(`SELECT '${written}'::${type} AS sample, 1.5 AS e`);
    const found = await readEmbeddingTable(file, { idColumn: 'sample' });
    expect(found).toMatchObject({ samples: [canonical], sampleType: 'text' });
  });

  test('keeps the order of rows over many chunks', async () => {
    const file = await parquet('SELECT range::VARCHAR AS sample, range::FLOAT AS e FROM range(300000)');
    const { samples, embeddings } = await readEmbeddingTable(file, { idColumn: 'sample' });
    expect(samples.length).toBe(300000);
    expect(samples.every((sample, row) => Number(sample) === row && embeddings[row] === row)).toBe(true);
  });

  test.each([
    [
      'lists of different lengths',
      "SELECT * FROM (VALUES ('a', [1.0]), ('b', [1.0, 2.0])) t(sample, e)",
      'F3_DATA_COLUMN',
      'column e must hold lists of one length (1), got 2 (row 2, sample b)',
    ],
    [
      'a null in a list',
      "SELECT 'a' AS sample, [1.0, NULL] AS e",
      'F3_BUNDLE_NOT_FINITE',
      'column e must hold finite numbers within float32, got an empty cell (row 1, sample a, item 1)',
    ],
    [
      'a null list',
      "SELECT 'a' AS sample, NULL::DOUBLE[] AS e",
      'F3_BUNDLE_NOT_FINITE',
      'got an empty cell (row 1, sample a, item 0)',
    ],
    [
      'empty lists',
      "SELECT 'a' AS sample, []::DOUBLE[] AS e",
      'F3_DATA_COLUMN',
      'column e must hold lists of numbers, got empty lists',
    ],
    [
      'lists beside numbers',
      "SELECT 'a' AS sample, [1.0] AS e, 2 AS f",
      'F3_DATA_COLUMN',
      'column e holds lists and must be the only column of its kind, got DECIMAL(2,1)[]',
    ],
    [
      'dates',
      "SELECT 'a' AS sample, DATE '2020-01-01' AS e",
      'F3_DATA_COLUMN',
      'column e must hold numbers or lists of numbers, got DATE',
    ],
    [
      'ids that are dates',
      "SELECT DATE '2020-01-01' AS sample, 1 AS e",
      'F3_DATA_COLUMN',
      'column sample must hold ids as text, times or integers, got DATE; write them as text',
    ],
  ])('refuses %s', async (_, select, code, message) => {
    const read = readEmbeddingTable(await parquet(select), { idColumn: 'sample' });
    await expect(read).rejects.toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
  });

  test('refuses a file that is none', async () => {
    const file = await parquet("SELECT 'a' AS sample, 1 AS e");
    writeFileSync(file, readFileSync(file).subarray(0, 20));
    await expect(readEmbeddingTable(file, { idColumn: 'sample' })).rejects.toThrow('must be readable as a table');
  });
});
