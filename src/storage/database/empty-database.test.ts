// The empty database that new ones are copies of: it is what PGlite makes, and is used with that PGlite only.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { EmbeddedThread } from './embedded-thread.ts';
import { unpackEmptyDatabase } from './empty-database.ts';

const PACKED = new URL('build/empty-database.br', import.meta.url);
/** What differs between two that PGlite makes: times and numbers drawn for the whole database, its log, and a cache with addresses in memory. */
const OF_ONE = [
  'base/5/pg_internal.init',
  'global/pg_control',
  'global/pg_internal.init',
  'pg_wal/000000010000000000000001',
];

function emptyFolder(): string {
  const dir = join(temporaryDirectory(), 'database');
  mkdirSync(dir);
  return dir;
}

const namesIn = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .sort();

function filesIn(dir: string): string[] {
  const found = readdirSync(dir, { recursive: true, withFileTypes: true });
  const folders = new Set(
    found.filter((entry) => entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name)),
  );
  return namesIn(dir).filter((name) => !folders.has(join(dir, name)));
}

test('the empty database is what PGlite makes, to the byte, and was closed well', async () => {
  const [unpacked, made] = [emptyFolder(), emptyFolder()];
  expect(unpackEmptyDatabase(unpacked)).toBe(true);
  await (await EmbeddedThread.open(made, true)).close();
  expect(namesIn(unpacked)).toEqual(namesIn(made));
  const differs = (name: string) => !readFileSync(join(unpacked, name)).equals(readFileSync(join(made, name)));
  expect(OF_ONE).toEqual(expect.arrayContaining(filesIn(made).filter(differs)));
  // The state in PostgreSQL's ControlFileData: 1 is DB_SHUTDOWNED, after which nothing has to be recovered.
  expect(readFileSync(join(unpacked, 'global/pg_control')).readUInt32LE(16)).toBe(1);
});

test('the empty database holds no table of f3 or of its queue', async () => {
  const dir = emptyFolder();
  unpackEmptyDatabase(dir);
  const pglite = await PGlite.create(dir);
  const { rows } = await pglite.query(
    `select schemaname from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  expect(rows).toEqual([]);
  await pglite.close();
});

test('of another PGlite, damaged or missing, it is left alone, and PGlite makes a database', () => {
  const whole = readFileSync(PACKED);
  const end = whole.indexOf('\n');
  const head = JSON.parse(whole.toString('utf8', 0, end));
  const of = (other: object) => Buffer.concat([Buffer.from(JSON.stringify(other)), whole.subarray(end)]);
  const flipped = Buffer.from(whole);
  flipped[whole.length >> 1] ^= 1;
  const cases = [of({ ...head, pglite: '0.0.1' }), flipped, whole.subarray(0, -1), whole.subarray(0, 20), Buffer.of()];
  const file = join(temporaryDirectory(), 'empty-database.br');
  for (const content of cases) {
    writeFileSync(file, content);
    const dir = emptyFolder();
    expect(unpackEmptyDatabase(dir, pathToFileURL(file))).toBe(false);
    expect(readdirSync(dir)).toEqual([]);
  }
  expect(unpackEmptyDatabase(emptyFolder(), pathToFileURL(`${file}.missing`))).toBe(false);
  writeFileSync(file, of(head));
  expect(unpackEmptyDatabase(emptyFolder(), pathToFileURL(file))).toBe(true);
});
