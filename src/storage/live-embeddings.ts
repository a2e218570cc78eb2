// [coordinator] Embeddings of one sample that wait for each other, for live prediction.
import { sql } from 'kysely';
import type { Db } from './schema.ts';

/** Who has sent something. */
export interface LiveOwner {
  owner: string;
  /** d */
  width: number;
}

export interface LiveEmbedding extends LiveOwner {
  /** [d] */
  embedding: Float32Array;
}

export interface NewLiveEmbedding extends Omit<LiveEmbedding, 'width'> {
  federation: string;
  sample: string;
  expires: Date;
}

/** An owner that sends again replaces what it sent. */
export async function putLiveEmbeddings(db: Db, live: readonly NewLiveEmbedding[]): Promise<void> {
  // One statement may touch a row once: of several for the same row the last counts.
  const rows = new Map(
    live.map(({ federation, sample, owner, embedding, expires }) => [
      JSON.stringify([federation, sample, owner]),
      { federation, sample, owner, embedding: toBytes(embedding), expires },
    ]),
  );
  await db
    .insertInto('liveEmbeddings')
    .values([...rows.values()])
    .onConflict((conflict) =>
      conflict.columns(['federation', 'sample', 'owner']).doUpdateSet((row) => ({
        embedding: row.ref('excluded.embedding'),
        expires: row.ref('excluded.expires'),
      })),
    )
    .execute();
}

/** By owner. */
export async function listLiveEmbeddings(
  db: Db,
  federation: string,
  sample: string,
  now: Date = new Date(),
): Promise<LiveEmbedding[]> {
  const rows = await kept(db, federation, sample, now).select(['owner', 'embedding']).execute();
  return rows.map(({ owner, embedding }) => {
    const numbers = fromBytes(embedding);
    return { owner, width: numbers.length, embedding: numbers };
  });
}

/** The same without the numbers, for whoever only counts. */
export function listLiveOwners(db: Db, federation: string, sample: string): Promise<LiveOwner[]> {
  const width = sql<number>`octet_length(embedding) / 4`.as('width');
  return kept(db, federation, sample, new Date()).select(['owner', width]).execute();
}

const kept = (db: Db, federation: string, sample: string, now: Date) =>
  db
    .selectFrom('liveEmbeddings')
    .where('federation', '=', federation)
    .where('sample', '=', sample)
    .where('expires', '>', now)
    .orderBy('owner');

export async function removeExpiredEmbeddings(db: Db, now: Date = new Date()): Promise<void> {
  await db.deleteFrom('liveEmbeddings').where('expires', '<=', now).execute();
}

const toBytes = (numbers: Float32Array): Uint8Array =>
  new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);

/** A copy: what the database returns need not lie on a multiple of four. */
const fromBytes = (bytes: Uint8Array): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer);
