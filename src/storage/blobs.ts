// [coordinator] Byte strings in rows of at most 1 MiB, so that several servers share them through the database alone.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { F3Error } from '../errors.ts';
import { inTransaction } from './database/in-transaction.ts';
import type { Db } from './schema.ts';

export const CHUNK_BYTES = 2 ** 20;

export async function createBlob(db: Db): Promise<string> {
  const id = randomUUID();
  await db.insertInto('blobs').values({ id }).execute();
  return id;
}

export function writeBlob(db: Db, bytes: Uint8Array): Promise<string> {
  return inTransaction(db, async (trx) => {
    const id = await createBlob(trx);
    await insertChunks(trx, id, 0, bytes);
    return id;
  });
}

/** `position` is the blob's length so far. The caller has made sure that nobody else appends. */
export async function insertChunks(trx: Db, blob: string, position: number, bytes: Uint8Array): Promise<void> {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    const chunk = bytes.subarray(start, start + CHUNK_BYTES);
    await trx
      .insertInto('blobChunks')
      .values({ blob, position: position + start, bytes: chunk })
      .execute();
  }
}

export async function blobSize(db: Db, blob: string): Promise<number> {
  const { size } = await db
    .selectFrom('blobChunks')
    .select(sql<number>`coalesce(max(position + octet_length(bytes)), 0)`.as('size'))
    .where('blob', '=', blob)
    .executeTakeFirstOrThrow();
  return size;
}

/** Gives the bytes from `start` up to `end` in order, with about 1 MiB in memory at a time. */
export async function* streamBlob(db: Db, blob: string, start = 0, end = Infinity): AsyncGenerator<Uint8Array> {
  const last = Math.min(end, await blobSize(db, blob));
  let position = start;
  while (position < last) {
    // The chunk that holds the start may begin before it; after that, each chunk follows on the last.
    const from = position === start ? start - CHUNK_BYTES + 1 : position;
    const chunks = await db
      .selectFrom('blobChunks')
      .select(['position', 'bytes'])
      .where('blob', '=', blob)
      .where('position', '>=', from)
      .where('position', '<', Math.min(position + CHUNK_BYTES, last))
      .orderBy('position')
      .execute();
    const before = position;
    for (const chunk of chunks) {
      const skip = position - chunk.position;
      if (skip < 0) break;
      if (skip >= chunk.bytes.length) continue;
      const part = chunk.bytes.subarray(skip, last - chunk.position);
      position += part.length;
      yield part;
    }
    if (position === before) {
      throw new F3Error('F3_STORAGE_BLOB', `blob ${blob}: must have ${last} bytes, got ${position}`);
    }
  }
}

export async function readBlob(db: Db, blob: string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(await blobSize(db, blob));
  let length = 0;
  for await (const part of streamBlob(db, blob, 0, bytes.length)) {
    bytes.set(part, length);
    length += part.length;
  }
  if (length !== bytes.length) {
    throw new F3Error('F3_STORAGE_BLOB', `blob ${blob}: must have ${bytes.length} bytes, got ${length}`);
  }
  return bytes;
}

export async function deleteBlob(db: Db, blob: string): Promise<void> {
  await db.deleteFrom('blobs').where('id', '=', blob).execute();
}
