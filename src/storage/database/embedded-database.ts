// [coordinator] PGlite in a data folder: one process, one connection, every commit on disk.
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { PGliteDialect } from 'kysely';
import { lockDirectory } from '../../base/directory-lock.ts';
import { F3Error } from '../../errors.ts';
import { EmbeddedThread } from './embedded-thread.ts';
import { unpackEmptyDatabase } from './empty-database.ts';
import { makeDirectory } from './make-directory.ts';
import { makeKysely } from './make-kysely.ts';
import { migrate } from './migrate.ts';
import type { DatabaseLocation, OpenOptions, Store } from './open-database.ts';
import { syncPath, syncTree } from './sync-tree.ts';

type EmbeddedLocation = Extract<DatabaseLocation, { kind: 'embedded' }>;

const MAINTENANCE_MS = 10_000;

export async function openEmbeddedDatabase(
  { dir, fsync = true }: EmbeddedLocation,
  { upTo }: OpenOptions,
): Promise<Store> {
  makeDirectory(dir);
  const lock = lockDirectory(dir, { thing: 'data folder', code: 'F3_STORAGE_LOCKED' });
  try {
    const database = await openThread(dir, fsync);
    return await makeStore(database, upTo, () => lock.release());
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function openThread(dir: string, fsync: boolean): Promise<EmbeddedThread> {
  const database = join(dir, 'database');
  if (!existsSync(database)) await initialise(dir, database, fsync);
  try {
    return await EmbeddedThread.open(database, fsync);
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
  if (!unpackEmptyDatabase(beside)) await (await EmbeddedThread.open(beside, fsync)).close();
  if (fsync) await syncTree(beside);
  renameSync(beside, database);
  if (fsync) await syncPath(dir);
}

async function makeStore(database: EmbeddedThread, upTo: string | undefined, release: () => void): Promise<Store> {
  const db = makeKysely(new PGliteDialect({ pglite: database }));
  try {
    await migrate(db, upTo);
  } catch (error) {
    await database.close();
    throw error;
  }
  let maintenance = Promise.resolve();
  const maintain = () => {
    maintenance = maintenance.catch(() => {}).then(() => database.maintain());
    return maintenance;
  };
  // A failure shows again in the next query, where somebody waits for it.
  const timer = setInterval(() => void maintain().catch(() => {}), MAINTENANCE_MS);
  timer.unref();
  let closed: Promise<void> | undefined;
  const close = async () => {
    clearInterval(timer);
    await maintenance.catch(() => {});
    await database.close();
    release();
  };
  return {
    kind: 'embedded',
    db,
    executeSql: async (text, values) =>
      values?.length
        ? database.query<Record<string, unknown>>(text, values)
        : { rows: await database.statements(text) },
    onChange: (listener) => database.onChange(listener),
    maintain,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}
