// [coordinator] Embeddings of one sample that wait for each other, for live prediction.
import type { Db } from './schema.ts';

export interface LiveEmbedding {
  owner: string;
  /** [d] */
  embedding: Float32Array;
}

export interface NewLiveEmbedding extends LiveEmbedding {
  federation: string;
  sample: string;
  expires: Date;
}

/** An owner that sends again replaces what it sent. */
export async function putLiveEmbedding(db: Db, live: NewLiveEmbedding): Promise<void> {
  const { federation, sample, owner, expires } = live;
  const embedding = toBytes(live.embedding);
  await db
    .insertInto('liveEmbeddings')
    .values({ federation, sample, owner, embedding, expires })
    .onConflict((conflict) => conflict.columns(['federation', 'sample', 'owner']).doUpdateSet({ embedding, expires }))
    .execute();
}

/** By owner. */
export async function listLiveEmbeddings(
  db: Db,
  federation: string,
  sample: string,
  now: Date = new Date(),
): Promise<LiveEmbedding[]> {
  const rows = await db
    .selectFrom('liveEmbeddings')
    .select(['owner', 'embedding'])
    .where('federation', '=', federation)
    .where('sample', '=', sample)
    .where('expires', '>', now)
    .orderBy('owner')
    .execute();
  return rows.map(({ owner, embedding }) => ({ owner, embedding: fromBytes(embedding) }));
}

export async function removeExpiredEmbeddings(db: Db, now: Date = new Date()): Promise<void> {
  await db.deleteFrom('liveEmbeddings').where('expires', '<=', now).execute();
}

const toBytes = (numbers: Float32Array): Uint8Array =>
  new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);

/** A copy: what the database returns need not lie on a multiple of four. */
const fromBytes = (bytes: Uint8Array): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer);
