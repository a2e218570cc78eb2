// [coordinator] Uploads in pieces, which can be resumed and repeated, and count whole or not at all.
import { randomUUID } from 'node:crypto';
import { F3Error } from '../errors.ts';
import { createBlob, deleteBlob, insertChunks, streamBlob } from './blobs.ts';
import { inTransaction } from './database/in-transaction.ts';
import type { Db, JsonObject, NewUpload, UploadRow } from './schema.ts';
import { discardUpload, isOutdated, summaryOf, type UploadVerdict, unknownUpload } from './upload-verdicts.ts';

/** The most uploads of one member under way. The one that was left alone the longest gives way to another. */
export const MAX_OPEN_UPLOADS = 8;

export interface UploadOpening {
  /** The rules of checks that are in force. */
  rules?: string;
  requireRoom?: (trx: Db) => Promise<void>;
}

/**
 * The same member, kind and content find the upload they began or completed before, or whose content was refused. What was
 * refused by other rules than `rules` is begun anew. `requireRoom` refuses, in the same transaction, an upload that is new.
 */
export function openUpload(db: Db, upload: NewUpload, options: UploadOpening = {}): Promise<UploadRow> {
  const { federation, member, kind, sha256, size } = upload;
  const { rules, requireRoom } = options;
  return inTransaction(db, async (trx) => {
    const isKnown = await trx
      .selectFrom('uploads')
      .select('id')
      .where('member', '=', member)
      .where('kind', '=', kind)
      .where('sha256', '=', sha256)
      .executeTakeFirst();
    if (!isKnown) await requireRoom?.(trx);
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
    if (isOutdated(known, rules)) {
      await discardUpload(trx, known.id);
      return openUpload(trx, upload, options);
    }
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
  if (end <= received && state !== 'refused') {
    let position = 0;
    for await (const part of streamBlob(db, blob, offset, end)) {
      if (Buffer.compare(part, bytes.subarray(position, position + part.length)) !== 0) break;
      position += part.length;
    }
    if (position === bytes.length) return received;
  }
  if (state !== 'open') throw new F3Error('F3_UPLOAD_STATE', `upload ${id}: must be open, got a ${state} one`);
  throw new F3Error('F3_UPLOAD_OFFSET', `upload ${id}: offset must be ${received}, got ${offset}`);
}

export interface Completion {
  /** Checks the content of an upload that has no verdict yet. It runs outside the transaction, so it may take its time. */
  check(upload: UploadRow): Promise<UploadVerdict>;
  /** Refuses sound content that does not fit what others have sent, by throwing. */
  agree?(upload: UploadRow, summary: JsonObject): Promise<void>;
  /** Makes the upload count, in the transaction that completes it, and gives it its version. */
  insert(trx: Db, upload: UploadRow, summary: JsonObject): Promise<number>;
  /** The version that counts now. */
  newest(db: Db, upload: UploadRow): Promise<number>;
}

export interface CompletionOptions {
  /** Makes an upload that was complete before and is no longer the newest the newest once more, as a version of its own. */
  again?: boolean;
}

export type CompleteUpload = UploadRow & { state: 'complete'; version: number };

/**
 * May be called again, with the same answer. Content that is refused stays refused. Sound content that does not fit what
 * others have sent is discarded, because it may fit later.
 */
export async function completeUpload(
  db: Db,
  id: string,
  { check, agree, insert, newest }: Completion,
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
  const summary = summaryOf(upload.verdict ?? (await check(upload)));
  try {
    await agree?.(upload, summary);
  } catch (error) {
    if (error instanceof F3Error && upload.state === 'open') await discardUpload(db, id);
    throw error;
  }
  return inTransaction(db, async (trx) => {
    const locked = await trx.selectFrom('uploads').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
    if (!locked) throw unknownUpload(id);
    if (await isDone(locked, trx)) return locked as CompleteUpload;
    const version = await insert(trx, locked, summary);
    await trx
      .updateTable('uploads')
      .set({ state: 'complete', version, touched: new Date() })
      .where('id', '=', id)
      .execute();
    return { ...locked, state: 'complete', version };
  });
}

const isComplete = (upload: UploadRow): upload is CompleteUpload => upload.state === 'complete';

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
