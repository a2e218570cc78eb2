// Opening, locking, migrating, dying and coming back, on both databases.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { PgBoss } from 'pg-boss';
import { describe, expect, test } from 'vitest';
import { describeStores, someFederation, someMember } from '../../../test/support/describe-stores.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { listAudit } from '../audit.ts';
import { blobSize, deleteBlob, streamBlob, writeBlob } from '../blobs.ts';
import { createFederation, findFederation } from '../federations.ts';
import type { UploadRow } from '../schema.ts';
import { appendToUpload, openUpload, requireUpload } from '../uploads.ts';
import { isLostDatabase } from './lost-database.ts';
import { type DatabaseLocation, openDatabase, type Store } from './open-database.ts';

const MIB = 2 ** 20;
const support = (file: string) => fileURLToPath(new URL(`../../../test/support/${file}`, import.meta.url));

async function someUpload({ db }: Store, size: number): Promise<UploadRow> {
  const federation = await someFederation(db);
  const { id: member } = await someMember(db, federation);
  return openUpload(db, { federation, member, kind: 'bundle', size, sha256: '0'.repeat(64) });
}

/** Lets the writer work until it has acknowledged a few pieces, kills it, and gives the last acknowledged length. */
function killAfter(pieces: number, location: DatabaseLocation, upload: string): Promise<number> {
  const writer = spawn(process.execPath, [support('storage-writer.ts'), JSON.stringify(location), upload]);
  let output = '';
  let errors = '';
  writer.stderr.on('data', (text) => {
    errors += text;
  });
  writer.stdout.on('data', (text) => {
    output += text;
    // Not at once: the next piece shall be under way.
    if (output.split('\n').length > pieces) setTimeout(() => writer.kill('SIGKILL'), 5);
  });
  return new Promise((resolve, reject) => {
    writer.once('close', (_, signal) => {
      if (signal === 'SIGKILL') resolve(Number(output.trim().split('\n').at(-1)));
      else reject(new Error(errors));
    });
  });
}

describeStores('a database', (suite) => {
  test('keeps what it was given after it is closed; closing twice is fine', async () => {
    const location = await suite.location();
    const store = await openDatabase(location);
    await createFederation(store.db, { name: 'kept' });
    await store.close();
    await store.close();
    const again = await openDatabase(location);
    expect(await findFederation(again.db, 'kept')).toMatchObject({ name: 'kept' });
    await again.close();
  });

  test('has after kill -9 all that was acknowledged and nothing by half', async () => {
    const location = await suite.location();
    const store = await openDatabase(location);
    const { id } = await someUpload(store, 1_000_000_000);
    await store.close();
    const acknowledged = await killAfter(4, location, id);
    expect(acknowledged).toBeGreaterThanOrEqual(4 * 1_300_000);
    const again = await openDatabase(location);
    const { received, blob } = await requireUpload(again.db, id);
    expect(received).toBeGreaterThanOrEqual(acknowledged);
    expect(received % 1_300_000).toBe(0);
    expect(await blobSize(again.db, blob)).toBe(received);
    let position = 0;
    for await (const part of streamBlob(again.db, blob)) {
      for (const [index, byte] of [part[0], part.at(-1)].entries()) {
        expect(byte).toBe(Math.floor((position + index * (part.length - 1)) / 1_300_000));
      }
      position += part.length;
    }
    const entries = await listAudit(again.db, { limit: 10_000 });
    expect(entries).toHaveLength(received / 1_300_000);
    await again.close();
  });

  test('takes an upload in pieces and streams it without holding it in memory', async () => {
    const { id, blob } = await someUpload(suite.store, 48 * MIB);
    const used = () => process.memoryUsage().heapUsed + process.memoryUsage().external;
    const before = used();
    let most = 0;
    for (let offset = 0; offset < 48 * MIB; offset += 8 * MIB) {
      await appendToUpload(suite.db, id, offset, Buffer.alloc(8 * MIB, 1));
      most = Math.max(most, used() - before);
    }
    let streamed = 0;
    for await (const part of streamBlob(suite.db, blob)) {
      streamed += part.length;
      most = Math.max(most, used() - before);
    }
    expect(streamed).toBe(48 * MIB);
    expect(most).toBeLessThan(3 * 48 * MIB);
  });

  test('of a newer f3 is refused and left as it is', async () => {
    const location = await suite.location();
    const store = await openDatabase(location);
    await sql`insert into f3_migrations (name, timestamp) values ('9999-future', '')`.execute(store.db);
    await store.close();
    await expect(openDatabase(location)).rejects.toMatchObject({
      code: 'F3_STORAGE_VERSION',
      message: expect.stringContaining('9999-future'),
    });
  });

  test('gives numbers for counts, dates for times, bytes for bytes', async () => {
    const { rows } = await suite.store.executeSql(
      `select 9007199254740991::bigint as count, '2026-01-02T03:04:05.678Z'::timestamptz as time,
        $1::bytea as bytes, '{"a_b": 1}'::jsonb as json`,
      [Buffer.of(0, 255)],
    );
    expect(rows).toEqual([
      { count: Number.MAX_SAFE_INTEGER, time: new Date(1767323045678), bytes: Buffer.of(0, 255), json: { a_b: 1 } },
    ]);
  });

  test('runs several statements at once and gives all their rows', async () => {
    const { rows } = await suite.store.executeSql('begin; select 1 as a; select 2 as b; commit');
    expect(rows).toEqual([{ a: 1 }, { b: 2 }]);
  });

  test('is as before after statements that fail in the middle of a transaction', async () => {
    const failing = suite.store.executeSql(
      `begin; insert into federations (name) values ('half-way'); select 1 / 0; commit`,
    );
    const others = [1, 2, 3].map(() => suite.store.executeSql('select 1 as fine'));
    await expect(failing).rejects.toThrow('division by zero');
    for (const other of others) expect((await other).rows).toEqual([{ fine: 1 }]);
    expect(await findFederation(suite.db, 'half-way')).toBeUndefined();
    expect((await suite.store.executeSql('select 2 as fine')).rows).toEqual([{ fine: 2 }]);
  });

  test('does not mix what runs beside a transaction into it', async () => {
    const name = await someFederation(suite.db);
    const failing = suite.db.transaction().execute(async (trx) => {
      await createFederation(trx, { name: `${name}-inside` });
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw new Error('rolled back');
    });
    const beside = createFederation(suite.db, { name: `${name}-beside` });
    await expect(failing).rejects.toThrow('rolled back');
    await beside;
    expect(await findFederation(suite.db, `${name}-inside`)).toBeUndefined();
    expect(await findFederation(suite.db, `${name}-beside`)).toBeDefined();
  });

  test('carries the jobs of pg-boss', async () => {
    const boss = new PgBoss({ db: suite.store, supervise: false, schedule: false });
    await boss.start();
    await boss.createQueue('train');
    const id = await boss.send('train', { training: 'a' });
    const [job] = await boss.fetch('train');
    expect(job).toMatchObject({ id, data: { training: 'a' } });
    await boss.complete('train', job.id);
    expect(await boss.fetch('train')).toEqual([]);
    await boss.stop({ graceful: false });
  });

  if (suite.kind === 'embedded') {
    test('is used by one process at a time', async () => {
      const location = (await suite.location()) as Extract<DatabaseLocation, { kind: 'embedded' }>;
      const store = await openDatabase(location);
      const refused = { code: 'F3_STORAGE_LOCKED', message: expect.stringContaining(String(process.pid)) };
      await expect(openDatabase(location)).rejects.toMatchObject(refused);
      const program = `import { lockDirectory } from ${JSON.stringify(new URL('../../base/directory-lock.ts', import.meta.url))};
        try { lockDirectory(process.argv[1], { thing: 'data folder', code: 'F3_STORAGE_LOCKED' }); } catch (error) { process.stdout.write(error.code); }`;
      const other = () =>
        execFileSync(process.execPath, ['--input-type=module', '-e', program, location.dir], { encoding: 'utf8' });
      expect(other()).toBe('F3_STORAGE_LOCKED');
      await store.close();
      expect(other()).toBe(''); // and it ended without letting go
      await (await openDatabase(location)).close();
    });

    test('is flushed to disk before a commit returns', async () => {
      expect((await suite.store.executeSql('show fsync')).rows).toEqual([{ fsync: 'on' }]);
      const { SyncedNodeFS, SYNCED_START_PARAMS } = await import('./synced-node-fs.ts');
      const { PGlite } = await import('@electric-sql/pglite');
      const location = (await suite.location()) as Extract<DatabaseLocation, { kind: 'embedded' }>;
      const fs = new SyncedNodeFS(join(location.dir, 'database'), () => undefined);
      const pglite = await PGlite.create({ fs, startParams: SYNCED_START_PARAMS });
      const before = fs.syncs;
      await pglite.query(`insert into federations (name) values ('flushed')`);
      expect(fs.syncs).toBeGreaterThan(before);
      await pglite.close();
    });

    test('gives back the room of what was deleted, and keeps its log short', async () => {
      const location = (await suite.location()) as Extract<DatabaseLocation, { kind: 'embedded' }>;
      const store = await openDatabase({ ...location, fsync: false });
      const rounds: number[] = [];
      for (let round = 0; round < 5; round++) {
        const blob = await writeBlob(store.db, Buffer.alloc(14 * MIB, round));
        await deleteBlob(store.db, blob);
        await store.maintain();
        rounds.push(bytesIn(join(location.dir, 'database/base')));
      }
      // Otherwise 56 MiB more. The store's own maintenance may come in between, and one round is then left for the next.
      expect(rounds[4]).toBeLessThan(rounds[0] + 28 * MIB);
      const { rows } = await store.executeSql(
        'select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 as log from pg_control_checkpoint()',
      );
      expect(rows[0].log).toBeLessThan(33 * MIB); // of 70 MiB written and as much by vacuums
      await store.close();
    });
  } else {
    test('is migrated once by many who open it at the same time', async () => {
      const location = await suite.location();
      const stores = await Promise.all([1, 2, 3, 4].map(() => openDatabase(location)));
      await createFederation(stores[0].db, { name: 'shared' });
      expect(await findFederation(stores[3].db, 'shared')).toBeDefined();
      for (const store of stores) await store.close();
    });

    test('outlives broken connections', async () => {
      const store = await openDatabase(await suite.location());
      await store.executeSql(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      await expect(store.executeSql('select pg_terminate_backend(pg_backend_pid())')).rejects.toThrow();
      expect((await store.executeSql('select 1 as fine')).rows).toEqual([{ fine: 1 }]);
      await store.close();
    });

    test('outlives a connection that breaks between two statements of a transaction', async () => {
      const store = await openDatabase(await suite.location());
      const broken = store.db.transaction().execute(async (trx) => {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
        await store.executeSql('select pg_terminate_backend($1, 5000)', [rows[0].pid]);
        await new Promise((resolve) => setTimeout(resolve, 50)); // until the line's end is heard of
        await createFederation(trx, { name: 'never' });
      });
      const error = await broken.catch((error) => error);
      expect(isLostDatabase(error)).toBe(true);
      expect(await findFederation(store.db, 'never')).toBeUndefined();
      await store.close();
    });

    test('that has no connection left is waited for', async () => {
      const { url } = (await suite.location()) as Extract<DatabaseLocation, { kind: 'postgres' }>;
      const role = 'late_guest';
      await suite.store.executeSql(`create role ${role} login connection limit 0`);
      await suite.store.executeSql(`alter database ${new URL(url).pathname.slice(1)} owner to ${role}`);
      const opening = openDatabase({ kind: 'postgres', url: url.replace(/\/\/\w+:/, `//${role}:`) });
      opening.catch(() => undefined); // a start that does not wait fails before it is awaited
      await new Promise((resolve) => setTimeout(resolve, 300)); // until it was refused once
      await suite.store.executeSql(`alter role ${role} connection limit -1`);
      await (await opening).close();
    });

    test('that does not answer is an error that keeps the password to itself', async () => {
      const { url } = (await suite.location()) as Extract<DatabaseLocation, { kind: 'postgres' }>;
      const wrong = url.replace(/\w+$/, 'nowhere');
      const error = await openDatabase({ kind: 'postgres', url: wrong }).catch((error) => error);
      expect(error).toMatchObject({ code: 'F3_STORAGE_UNREACHABLE', message: expect.stringContaining('nowhere') });
      expect(error.message).not.toContain('not-a-secret');
    });
  }
});

test('a server that is not there is an error of its own', async () => {
  const url = 'postgres://user:not-a-secret@127.0.0.1:1/f3';
  const error = await openDatabase({ kind: 'postgres', url }).catch((error) => error);
  expect(error).toMatchObject({ code: 'F3_STORAGE_UNREACHABLE' });
  expect(error.message).not.toContain('not-a-secret');
});

describe('a data folder', () => {
  test('is made for its owner only, and what a killed start left behind is made anew', async () => {
    const dir = join(temporaryDirectory(), 'deep', 'data');
    mkdirSync(join(dir, 'database.new'), { recursive: true });
    writeFileSync(join(dir, 'database.new', 'PG_VERSION'), '18');
    const store = await openDatabase({ kind: 'embedded', dir });
    await createFederation(store.db, { name: 'fresh' });
    await store.close();
    expect(existsSync(join(dir, 'database.new'))).toBe(false);
    expect(statSync(join(dir, 'database')).mode & 0o077).toBe(0);
  });

  test('that is a file, or holds a broken database, is refused', async () => {
    const dir = temporaryDirectory();
    writeFileSync(join(dir, 'file'), '');
    await expect(openDatabase({ kind: 'embedded', dir: join(dir, 'file') })).rejects.toMatchObject({
      code: 'F3_STORAGE_DIRECTORY',
    });
    mkdirSync(join(dir, 'database'));
    writeFileSync(join(dir, 'database', 'PG_VERSION'), '18');
    await expect(openDatabase({ kind: 'embedded', dir })).rejects.toMatchObject({ code: 'F3_STORAGE_DIRECTORY' });
  });
});

const bytesIn = (dir: string): number =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
