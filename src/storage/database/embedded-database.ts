// [coordinator] PGlite in a data folder: one process, one connection, every commit on disk.
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { PGliteDialect } from 'kysely';
import { lockDirectory } from '../../base/directory-lock.ts';
import { F3Error } from '../../errors.ts';
import { EMBEDDED_TYPES } from './column-types.ts';
import { maintainEmbedded } from './maintain-embedded.ts';
import { makeDirectory } from './make-directory.ts';
import { makeKysely } from './make-kysely.ts';
import { migrate } from './migrate.ts';
import type { DatabaseLocation, OpenOptions, Store } from './open-database.ts';
import { SYNCED_START_PARAMS, SyncedNodeFS, syncPath, syncTree } from './synced-node-fs.ts';

type EmbeddedLocation = Extract<DatabaseLocation, { kind: 'embedded' }>;

const MAINTENANCE_MS = 10_000;

export async function openEmbeddedDatabase(
  { dir, fsync = true }: EmbeddedLocation,
  { upTo }: OpenOptions,
): Promise<Store> {
  makeDirectory(dir);
  const lock = lockDirectory(dir, { thing: 'data folder', code: 'F3_STORAGE_LOCKED' });
  try {
    const pglite = await openPGlite(dir, fsync);
    return await makeStore(pglite, upTo, () => lock.release());
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function openPGlite(dir: string, fsync: boolean): Promise<PGlite> {
  const database = join(dir, 'database');
  if (!existsSync(database)) await initialise(dir, database, fsync);
  try {
    return await startPGlite(database, fsync);
  } catch (cause) {
    const got = cause instanceof Error ? cause.message : String(cause);
    throw new F3Error('F3_STORAGE_DIRECTORY', `data folder ${dir}: must hold a whole database, got ${got}`, { cause });
  }
}

/** Makes the database beside its place and renames it, so that a kill on the way leaves nothing that looks like one. */
async function initialise(dir: string, database: string, fsync: boolean): Promise<void> {
  const beside = join(dir, 'database.new');
  rmSync(beside, { recursive: true, force: true });
  // The folder is for the coordinator only, because PGlite makes files that anybody may write.
  mkdirSync(beside, { mode: 0o700 });
  await (await startPGlite(beside, fsync)).close();
  if (fsync) await syncTree(beside);
  renameSync(beside, database);
  if (fsync) await syncPath(dir);
}

function startPGlite(dir: string, fsync: boolean): Promise<PGlite> {
  const files = fsync ? { fs: new SyncedNodeFS(dir), startParams: SYNCED_START_PARAMS } : { fs: new NodeFS(dir) };
  return PGlite.create({ ...files, ...EMBEDDED_TYPES, relaxedDurability: false });
}

async function makeStore(pglite: PGlite, upTo: string | undefined, release: () => void): Promise<Store> {
  const db = makeKysely(new PGliteDialect({ pglite }));
  try {
    await migrate(db, upTo);
  } catch (error) {
    await pglite.close();
    throw error;
  }
  const listeners: (() => void)[] = [];
  // PGlite calls this at the commit, before the promise of what was committed resolves.
  await pglite.listen('f3_revision', () => {
    for (const listener of listeners) listener();
  });
  let maintenance = Promise.resolve();
  const maintain = () => {
    maintenance = maintenance.catch(() => {}).then(() => maintainEmbedded(pglite));
    return maintenance;
  };
  // A failure shows again in the next query, where somebody waits for it.
  const timer = setInterval(() => void maintain().catch(() => {}), MAINTENANCE_MS);
  timer.unref();
  let closed: Promise<void> | undefined;
  const close = async () => {
    clearInterval(timer);
    await maintenance.catch(() => {});
    await pglite.close();
    release();
  };
  return {
    kind: 'embedded',
    db,
    executeSql: (text, values) => executeSql(pglite, text, values),
    onChange: (listener) => void listeners.push(listener),
    maintain,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

async function executeSql(pglite: PGlite, text: string, values?: unknown[]) {
  if (values?.length) return pglite.query<Record<string, unknown>>(text, values);
  // A text with a transaction of its own that fails in the middle would leave it open for whoever comes next, so it runs
  // inside one that PGlite rolls back; the inner BEGIN then does nothing.
  const results = /^\s*begin\b/i.test(text)
    ? await pglite.transaction((transaction) => transaction.exec(text))
    : await pglite.exec(text);
  return { rows: results.flatMap(({ rows }) => rows as Record<string, unknown>[]) };
}
