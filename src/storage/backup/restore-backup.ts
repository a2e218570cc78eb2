// [coordinator] Restores a backup into an empty database of either kind, wholly or not at all.
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { F3Error } from '../../errors.ts';
import { TOKEN_SECONDS } from '../../exchange/identity/request-token.ts';
import { makeDirectory } from '../database/make-directory.ts';
import { listMigrations, MIGRATIONS } from '../database/migrate.ts';
import { type DatabaseLocation, openDatabase } from '../database/open-database.ts';
import type { Db } from '../schema.ts';
import { checkBackup, readBackup } from './backup-file.ts';
import { KEY_FILES, listTables } from './write-backup.ts';

export interface RestoreOptions {
  file: string;
  /** The coordinator's data folder, which gets the key files. */
  data: string;
  location: DatabaseLocation;
}

export interface RestoredBackup {
  /** When the backup was made (ISO 8601). */
  created: string;
  rows: number;
  chunks: number;
}

/** The whole file is checked before anything is written. The schema is that of the backup; the next start migrates it. */
export async function restoreBackup({ file, data, location }: RestoreOptions): Promise<RestoredBackup> {
  const { migrations, snapshots, created } = await checkBackup(file);
  const unknown = migrations.find((name) => !Object.hasOwn(MIGRATIONS, name));
  if (unknown) {
    const rule = 'must have been made by this version of f3 or an older one';
    throw new F3Error('F3_STORAGE_VERSION', `backup ${file}: ${rule}, got migration ${unknown}`);
  }
  requireNoKeys(data);
  makeDirectory(data);
  const upTo = migrations.at(-1);
  const counts =
    location.kind === 'embedded'
      ? await restoreEmbedded(location, (beside) => load(beside, { file, snapshots, upTo }))
      : await load(location, { file, snapshots, upTo });
  await restoreKeys(file, data);
  return { created, ...counts };
}

/** Restores beside the place and renames, so that a kill on the way leaves nothing that looks like a database. */
async function restoreEmbedded<T>(
  location: Extract<DatabaseLocation, { kind: 'embedded' }>,
  work: (beside: DatabaseLocation) => Promise<T>,
): Promise<T> {
  const { dir } = location;
  if (existsSync(dir) && readdirSync(dir).length > 0) throw notEmpty(`data folder ${dir}`, 'files');
  const beside = `${dir}.restoring`;
  rmSync(beside, { recursive: true, force: true });
  try {
    const result = await work({ ...location, dir: beside });
    rmSync(dir, { recursive: true, force: true });
    renameSync(beside, dir);
    return result;
  } catch (error) {
    rmSync(beside, { recursive: true, force: true });
    throw error;
  }
}

interface Load {
  file: string;
  snapshots: number;
  upTo: string | undefined;
}

async function load(location: DatabaseLocation, { file, snapshots, upTo }: Load) {
  if (location.kind === 'postgres') await requireEmpty(location);
  const store = await openDatabase(location, { upTo });
  try {
    return await store.db.transaction().execute(async (trx) => {
      const keys = await dropForeignKeys(trx);
      const counts = await loadRecords(trx, file, snapshots);
      await sql`delete from blob_chunks where blob not in (select id from blobs)`.execute(trx);
      for (const { table, name, definition } of keys) {
        await sql.raw(`alter table ${table} add constraint ${name} ${definition}`).execute(trx);
      }
      await raiseSequences(trx);
      await outliveTokens(trx, location.kind);
      await requireWholeBlobs(trx, file);
      return counts;
    });
  } finally {
    await store.close();
  }
}

/** Asks before migrating, so that a database of somebody else is left as it is. */
async function requireEmpty(location: Extract<DatabaseLocation, { kind: 'postgres' }>): Promise<void> {
  const { PostgresDialect } = await import('kysely');
  const { default: pg } = await import('pg');
  const { makeKysely } = await import('../database/make-kysely.ts');
  const pool = new pg.Pool({ connectionString: location.url, max: 1 });
  const db = makeKysely(new PostgresDialect({ pool }));
  try {
    const [tables, migrations] = [await listTables(db), await listMigrations(db)];
    if (tables.length > 0 || migrations.length > 0) throw notEmpty('database', `${tables.length} tables`);
  } catch (cause) {
    if (cause instanceof F3Error) throw cause;
    const got = (cause as Error).message || 'no answer';
    throw new F3Error('F3_STORAGE_UNREACHABLE', `database: must answer, got ${got}`, { cause });
  } finally {
    await db.destroy();
  }
}

const notEmpty = (thing: string, found: string) =>
  new F3Error('F3_BACKUP_TARGET', `${thing}: must be empty to restore into, got ${found}`);

interface ForeignKey {
  table: string;
  name: string;
  definition: string;
}

/** Tables refer to each other in a circle; adding the keys again afterwards checks every row. */
async function dropForeignKeys(trx: Db): Promise<ForeignKey[]> {
  const { rows } = await sql<ForeignKey>`select conrelid::regclass::text as table, quote_ident(conname) as name,
    pg_get_constraintdef(oid) as definition from pg_constraint
    where contype = 'f' and connamespace = 'public'::regnamespace`.execute(trx);
  for (const { table, name } of rows) await sql.raw(`alter table ${table} drop constraint ${name}`).execute(trx);
  return rows;
}

async function loadRecords(trx: Db, file: string, snapshots: number): Promise<{ rows: number; chunks: number }> {
  const known = new Set(await listTables(trx));
  const cleared = new Set<string>();
  let [isLast, rows, chunks] = [false, 0, 0];
  for await (const { header, body } of readBackup(file)) {
    if (header.kind === 'snapshot') isLast = header.number === snapshots;
    if (header.kind === 'chunk') {
      const { blob, position } = header;
      await trx.insertInto('blobChunks').values({ blob, position, bytes: body }).execute();
      chunks++;
    }
    if (header.kind !== 'rows' || !isLast) continue;
    const { table } = header;
    if (!known.has(table)) throw new F3Error('F3_BACKUP_FILE', `backup ${file}: tables must be f3's, got ${table}`);
    if (!cleared.has(table)) await clear(trx, table);
    cleared.add(table);
    const lines = `[${body.toString('utf8').replaceAll('\n', ',')}]`;
    const name = sql.table(table);
    await sql`insert into ${name} overriding system value
      select * from json_populate_recordset(null::${name}, ${lines}::json)`.execute(trx);
    rows += header.rows;
  }
  return { rows, chunks };
}

/** A fresh database has a row in tables of one row. */
async function clear(trx: Db, table: string): Promise<void> {
  const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(trx);
  if (rows.length > 0) await sql`delete from ${sql.table(table)}`.execute(trx);
}

/** Numbers that the database gives go on after the highest. */
async function raiseSequences(trx: Db): Promise<void> {
  const { rows } = await sql<{ table: string; column: string }>`
    select table_name::text as table, column_name::text as column from information_schema.columns
    where table_schema = 'public' and is_identity = 'YES'`.execute(trx);
  for (const { table, column } of rows) {
    await sql`select setval(pg_get_serial_sequence(${table}, ${column}),
      (select coalesce(max(${sql.ref(column)}), 0) + 1 from ${sql.table(table)}), false)`.execute(trx);
  }
}

/**
 * Which tokens were used is not in the backup, so all that were signed up to now count as used. The embedded database refuses
 * them by when they were issued, PostgreSQL by when they expire.
 */
async function outliveTokens(trx: Db, kind: DatabaseLocation['kind']): Promise<void> {
  if (!(await listTables(trx)).includes('clock')) return; // the migration that makes it sets it to its time
  const seconds = kind === 'embedded' ? 0 : TOKEN_SECONDS;
  await sql`update clock set mark = now(), forgotten = now() + make_interval(secs => ${sql.lit(seconds)})`.execute(trx);
}

async function requireWholeBlobs(trx: Db, file: string): Promise<void> {
  const { rows } = await sql<{ blob: string }>`
    select content.blob::text as blob from (
      select blob, size from bundles union all select blob, size from label_sets
      union all select blob, received from uploads where received > 0
    ) content
    where content.size <> coalesce(
      (select sum(octet_length(bytes)) from blob_chunks where blob_chunks.blob = content.blob), 0)`.execute(trx);
  if (rows.length === 0) return;
  throw new F3Error('F3_BACKUP_FILE', `backup ${file}: blobs must be whole, got ${rows.length} that are not`);
}

function requireNoKeys(data: string): void {
  const found = KEY_FILES.find((name) => existsSync(join(data, name)));
  if (found) throw notEmpty(`data folder ${data}`, found);
}

async function restoreKeys(file: string, data: string): Promise<void> {
  for await (const { header, body } of readBackup(file)) {
    if (header.kind === 'snapshot') return;
    if (header.kind === 'file' && KEY_FILES.includes(header.name)) {
      await writeFile(join(data, header.name), body, { mode: 0o600, flag: 'wx' });
    }
  }
}
