// [coordinator] Uploads in pieces, which can be resumed and repeated, and count whole or not at all.
import { randomUUID } from 'node:crypto';
import { sha256 } from '../base/sha256.ts';
import { ERRORS, F3Error } from '../errors.ts';
import { createBlob, deleteBlob, insertChunks, readBlob, streamBlob } from './blobs.ts';
import { inTransaction } from './database/in-transaction.ts';
import type { Db, NewUpload, UploadRow } from './schema.ts';

/** The most uploads of one member under way. The one that was left alone the longest gives way to another. */
export const MAX_OPEN_UPLOADS = 8;

/**
 * The same member, kind and content find the upload they began or completed before. `requireRoom` refuses, in the same
 * transaction, an upload that is new.
 */
export function openUpload(
  db: Db,
  { federation, member, kind, sha256, size }: NewUpload,
  requireRoom: (trx: Db) => Promise<void> = async () => undefined,
): Promise<UploadRow> {
  return inTransaction(db, async (trx) => {
    const isKnown = await trx
      .selectFrom('uploads')
      .select('id')
      .where('member', '=', member)
      .where('kind', '=', kind)
      .where('sha256', '=', sha256)
      .executeTakeFirst();
    if (!isKnown) await requireRoom(trx);
    const blob = await createBlob(trx);
    const fresh = await trx
      .insertInto('uploads')
      .values({ id: randomUUID(), federation, member, kind, sha256, size, blob })
      .onConflict((conflict) => conflict.columns(['member', 'kind', 'sha256']).doNothing())
      .returningAll()
      .executeTakeFirst();
    if (fresh) {
      await discardOldest(trx, member);
      return fresh;
    }
    await deleteBlob(trx, blob);
    const known = await trx
      .selectFrom('uploads')
      .selectAll()
      .where('member', '=', member)
      .where('kind', '=', kind)
      .where('sha256', '=', sha256)
      .executeTakeFirst();
    if (!known) throw unknownUpload(`of ${sha256}`); // it was discarded this very moment
    if (known.size === size) return known;
    throw new F3Error('F3_UPLOAD_STATE', `upload ${known.id}: size must be ${known.size} as announced, got ${size}`);
  });
}

/** Keeps a member that begins upload after upload and completes none from filling the disk. */
async function discardOldest(trx: Db, member: string): Promise<void> {
  const tooMany = await trx
    .selectFrom('uploads')
    .select('id')
    .where('member', '=', member)
    .where('state', '=', 'open')
    .orderBy('touched', 'desc')
    .orderBy('created', 'desc')
    .offset(MAX_OPEN_UPLOADS)
    .execute();
  for (const { id } of tooMany) await discardUpload(trx, id);
}

export function findUpload(db: Db, id: string): Promise<UploadRow | undefined> {
  return db.selectFrom('uploads').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function requireUpload(db: Db, id: string): Promise<UploadRow> {
  const upload = await findUpload(db, id);
  if (!upload) throw unknownUpload(id);
  return upload;
}

/** Gives the bytes received in all. Of requests at the same time one appends. A piece that is there already is accepted. */
export function appendToUpload(db: Db, id: string, offset: number, bytes: Uint8Array): Promise<number> {
  return inTransaction(db, async (trx) => {
    // The update holds the row until the pieces are in, and its condition lets one of many pass.
    const grown = await trx
      .updateTable('uploads')
      .set((row) => ({ received: row('received', '+', bytes.length), touched: new Date() }))
      .where('id', '=', id)
      .where('state', '=', 'open')
      .where('received', '=', offset)
      .where('size', '>=', offset + bytes.length)
      .returning(['received', 'blob'])
      .executeTakeFirst();
    if (!grown) return receivedBefore(trx, id, offset, bytes);
    await insertChunks(trx, grown.blob, offset, bytes);
    return grown.received;
  });
}

async function receivedBefore(db: Db, id: string, offset: number, bytes: Uint8Array): Promise<number> {
  const { received, size, blob, state } = await requireUpload(db, id);
  const end = offset + bytes.length;
  if (end > size) {
    throw new F3Error('F3_UPLOAD_SIZE', `upload ${id}: must have ${size} bytes as announced, got ${end}`);
  }
  if (end <= received) {
    let position = 0;
    for await (const part of streamBlob(db, blob, offset, end)) {
      if (Buffer.compare(part, bytes.subarray(position, position + part.length)) !== 0) break;
      position += part.length;
    }
    if (position === bytes.length) return received;
  }
  if (state === 'complete') throw new F3Error('F3_UPLOAD_STATE', `upload ${id}: must be open, got a complete one`);
  throw new F3Error('F3_UPLOAD_OFFSET', `upload ${id}: offset must be ${received}, got ${offset}`);
}

export interface Completion<T> {
  /** Refuses content by throwing. It runs outside the transaction, so it may take its time. */
  check(bytes: Uint8Array, upload: UploadRow): T | Promise<T>;
  /** Makes the upload count, in the transaction that completes it, and gives it its version. */
  insert(trx: Db, upload: UploadRow, checked: T): Promise<number>;
  /** The version that counts now. */
  newest(db: Db, upload: UploadRow): Promise<number>;
}

export interface CompletionOptions {
  /** Makes an upload that was complete before and is no longer the newest the newest once more, as a version of its own. */
  again?: boolean;
}

export type CompleteUpload = UploadRow & { state: 'complete'; version: number };

/** May be called again, with the same answer. What is refused is discarded, so that it can be sent anew. */
export async function completeUpload<T>(
  db: Db,
  id: string,
  { check, insert, newest }: Completion<T>,
  { again = false }: CompletionOptions = {},
): Promise<CompleteUpload> {
  const upload = await requireUpload(db, id);
  const isDone = async (found: UploadRow, on: Db): Promise<boolean> =>
    isComplete(found) && !(again && found.version < (await newest(on, found)));
  if (await isDone(upload, db)) return upload as CompleteUpload;
  if (upload.received < upload.size) {
    const rule = `must have all ${upload.size} bytes before it is completed`;
    throw new F3Error('F3_UPLOAD_STATE', `upload ${id}: ${rule}, got ${upload.received}`);
  }
  const checked = await checkContent(db, upload, check);
  return inTransaction(db, async (trx) => {
    const locked = await trx.selectFrom('uploads').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
    if (!locked) throw unknownUpload(id);
    if (await isDone(locked, trx)) return locked as CompleteUpload;
    const version = await insert(trx, locked, checked);
    await trx
      .updateTable('uploads')
      .set({ state: 'complete', version, touched: new Date() })
      .where('id', '=', id)
      .execute();
    return { ...locked, state: 'complete', version };
  });
}

async function checkContent<T>(db: Db, upload: UploadRow, check: Completion<T>['check']): Promise<T> {
  const bytes = await readBlob(db, upload.blob);
  try {
    const found = sha256(bytes);
    if (found !== upload.sha256) {
      throw new F3Error('F3_UPLOAD_HASH', `upload ${upload.id}: SHA-256 must be ${upload.sha256}, got ${found}`);
    }
    return await check(bytes, upload);
  } catch (error) {
    // Where the machine failed the upload is kept, because its content may be sound.
    if (error instanceof F3Error && ERRORS[error.code].status < 500) await discardUpload(db, upload.id);
    throw error;
  }
}

const isComplete = (upload: UploadRow): upload is CompleteUpload => upload.state === 'complete';

const unknownUpload = (id: string) => new F3Error('F3_UPLOAD_UNKNOWN', `upload ${id}: must exist, got an unknown one`);

/** Discards an upload that is open; others stay. */
export function discardUpload(db: Db, id: string): Promise<void> {
  return inTransaction(db, async (trx) => {
    const gone = await trx
      .deleteFrom('uploads')
      .where('id', '=', id)
      .where('state', '=', 'open')
      .returning('blob')
      .executeTakeFirst();
    if (gone) await deleteBlob(trx, gone.blob);
  });
}

/** Lists a member's uploads under way; the one that was touched last comes first. */
export function listOpenUploads(db: Db, member: string): Promise<UploadRow[]> {
  return db
    .selectFrom('uploads')
    .selectAll()
    .where('member', '=', member)
    .where('state', '=', 'open')
    .orderBy('touched', 'desc')
    .orderBy('id')
    .execute();
}

/** Discards uploads that nobody went on with since `before`. */
export async function removeStaleUploads(db: Db, before: Date): Promise<number> {
  const stale = await db
    .selectFrom('uploads')
    .select('id')
    .where('state', '=', 'open')
    .where('touched', '<', before)
    .execute();
  for (const { id } of stale) await discardUpload(db, id);
  return stale.length;
}
