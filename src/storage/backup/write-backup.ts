// [coordinator] Writes a backup of either database while it is in use: the tables as of one moment, then the blobs they name.
import { existsSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { sql } from 'kysely';
import { unwritable } from '../../base/unwritable.ts';
import { VERSION } from '../../base/version.ts';
import { checkFileTarget } from '../../base/whole-file.ts';
import { listMigrations } from '../database/migrate.ts';
import type { Db } from '../schema.ts';
import { BACKUP_FORMAT, BACKUP_VERSION, BackupWriter } from './backup-file.ts';

/** Files of the data folder: without them another operator and another signing key would be made. */
export const KEY_FILES = ['operator-key.json', 'audit-key.json'];

/**
 * Tables that are not kept: what lives for seconds or hours (tokens, live samples, workers, sessions), and checkpoints, which change all the time; a
 * training that is under way begins anew, and ends with the same model. Chunks come by themselves.
 */
const LEFT_OUT = [
  'blob_chunks',
  'checkpoints',
  'f3_migration_lock',
  'f3_migrations',
  'live_embeddings',
  'session_codes',
  'sessions',
  'used_tokens',
  'early_tokens',
  'workers',
];
/** Blobs of checkpoints belong to nothing in the backup. */
const KEPT_BLOBS = 'id not in (select blob from checkpoints)';
const PAGE = 500;
/** Rows are written when they have so many characters. */
const PIECE = 2 ** 20;

export interface BackupOptions {
  /** The coordinator's data folder. */
  data: string;
  /** The file to write, which only its owner may read: it holds all embeddings and keys. */
  file: string;
  overwrite?: boolean | undefined;
}

export interface WrittenBackup {
  file: string;
  bytes: number;
  sha256: string;
}

/** The file is there whole or not at all. */
export async function writeBackup(db: Db, { data, file, overwrite = false }: BackupOptions): Promise<WrittenBackup> {
  checkFileTarget(file, overwrite);
  const target = resolve(file);
  const beside = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
  try {
    const handle = await open(beside, 'w', 0o600);
    try {
      const writer = new BackupWriter(handle);
      await writeRecords(db, writer, data);
      const sha256 = await writer.end(await writeSnapshots(db, writer));
      await rename(beside, target);
      return { file: target, bytes: writer.size, sha256 };
    } finally {
      await handle.close();
    }
  } catch (cause) {
    await rm(beside, { force: true });
    throw unwritable(`backup ${file}`, cause, 'F3_OUTPUT');
  }
}

async function writeRecords(db: Db, writer: BackupWriter, data: string): Promise<void> {
  const migrations = await listMigrations(db);
  const named = { format: BACKUP_FORMAT, version: BACKUP_VERSION, f3: VERSION, created: new Date().toISOString() };
  await writer.add({ kind: 'start', ...named, migrations, bytes: 0 });
  for (const name of KEY_FILES.filter((one) => existsSync(join(data, one)))) {
    const bytes = await readFile(join(data, name));
    await writer.add({ kind: 'file', name, bytes: bytes.length }, bytes);
  }
}

/**
 * A blob's bytes never change, so they need not be read at the moment of the tables: nobody waits while they are. Only if a blob
 * was deleted meanwhile are the tables written once more, and blobs that are not in the file yet. Gives how many times.
 */
async function writeSnapshots(db: Db, writer: BackupWriter): Promise<number> {
  const written = new Map<string, number>();
  for (let number = 1; ; number++) {
    const sizes = await writeTables(db, writer, number);
    let isWhole = true;
    for (const [blob, size] of sizes) {
      isWhole = (await writeChunks(db, writer, { blob, size, from: written.get(blob) ?? 0 })) && isWhole;
      written.set(blob, size);
    }
    if (isWhole) return number;
  }
}

/** Gives the size of each blob at that moment. */
function writeTables(db: Db, writer: BackupWriter, number: number): Promise<Map<string, number>> {
  const snapshot = db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  return snapshot.execute(async (trx) => {
    await writer.add({ kind: 'snapshot', number, bytes: 0 });
    for (const table of await listTables(trx)) if (!LEFT_OUT.includes(table)) await writeRows(trx, writer, table);
    const { rows } = await sql<{ blob: string; size: number }>`
      select blob::text as blob, max(position + octet_length(bytes)) as size from blob_chunks
      where blob not in (select blob from checkpoints) group by blob`.execute(trx);
    return new Map(rows.map(({ blob, size }) => [blob, size]));
  });
}

export async function listTables(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select table_name::text as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

/** The database itself writes rows as JSON and reads them again, so that no number and no time is rounded on the way. */
async function writeRows(trx: Db, writer: BackupWriter, table: string): Promise<void> {
  const which = table === 'blobs' ? `where ${KEPT_BLOBS}` : '';
  await sql
    .raw(`declare backup_rows no scroll cursor for select row_to_json(t)::text as line from ${table} t ${which}`)
    .execute(trx);
  let lines: string[] = [];
  let length = 0;
  const flush = async () => {
    const body = Buffer.from(lines.join('\n'));
    if (lines.length > 0) await writer.add({ kind: 'rows', table, rows: lines.length, bytes: body.length }, body);
    [lines, length] = [[], 0];
  };
  for (;;) {
    const { rows } = await sql<{ line: string }>`fetch ${sql.lit(PAGE)} from backup_rows`.execute(trx);
    for (const { line } of rows) {
      lines.push(line);
      length += line.length;
      if (length >= PIECE) await flush();
    }
    if (rows.length < PAGE) break;
  }
  await flush();
  await sql`close backup_rows`.execute(trx);
}

interface BlobPart {
  blob: string;
  size: number;
  from: number;
}

/** Gives false if the blob is no longer whole: somebody has deleted it. */
async function writeChunks(db: Db, writer: BackupWriter, { blob, size, from }: BlobPart): Promise<boolean> {
  for (let position = from; position < size; ) {
    const chunk = await db
      .selectFrom('blobChunks')
      .select('bytes')
      .where('blob', '=', blob)
      .where('position', '=', position)
      .executeTakeFirst();
    if (!chunk) return false;
    await writer.add({ kind: 'chunk', blob, position, bytes: chunk.bytes.length }, chunk.bytes);
    position += chunk.bytes.length;
  }
  return true;
}
