// [coordinator] Embeddings of one sample that wait for each other, for live prediction. What a revoked owner sent is kept until
// it expires, but no longer counts.
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Db, Schema } from './schema.ts';

/** An owner that may send something. */
export interface LiveOwner {
  owner: string;
  /** d, or null while the owner has sent nothing. */
  width: number | null;
}

export interface LiveEmbedding {
  owner: string;
  width: number;
  /** [d]; empty on shares */
  embedding: Float32Array;
  /** On shares: the name under which each entity holds its share. */
  ticket?: string | undefined;
}

export interface NewLiveEmbedding extends Omit<LiveEmbedding, 'width'> {
  /** On shares: d, which the embedding does not tell. */
  width?: number | undefined;
  federation: string;
  sample: string;
  expires: Date;
}

/** An owner that sends again replaces what it sent. */
export async function putLiveEmbeddings(db: Db, live: readonly NewLiveEmbedding[]): Promise<void> {
  // A statement may touch a row once only, so of several embeddings for the same row the last counts.
  const rows = new Map(
    live.map(({ federation, sample, owner, embedding, ticket, width, expires }) => [
      JSON.stringify([federation, sample, owner]),
      { federation, sample, owner, embedding: toBytes(embedding), ticket, width, expires },
    ]),
  );
  await db
    .insertInto('liveEmbeddings')
    .values([...rows.values()])
    .onConflict((conflict) =>
      conflict.columns(['federation', 'sample', 'owner']).doUpdateSet((row) => ({
        embedding: row.ref('excluded.embedding'),
        ticket: row.ref('excluded.ticket'),
        width: row.ref('excluded.width'),
        expires: row.ref('excluded.expires'),
      })),
    )
    .execute();
}

/** Lists by owner. */
export async function listLiveEmbeddings(
  db: Db,
  federation: string,
  sample: string,
  now: Date = new Date(),
): Promise<LiveEmbedding[]> {
  const rows = await validOwners(db, federation)
    .innerJoin('liveEmbeddings', (join) => join.on(isWaiting(sample, now)))
    .select(['members.owner', 'liveEmbeddings.embedding', 'liveEmbeddings.ticket', 'liveEmbeddings.width'])
    .execute();
  return rows.map(({ owner, embedding, ticket, width }) => {
    const numbers = fromBytes(embedding);
    return { owner, width: width ?? numbers.length, embedding: numbers, ...(ticket !== null && { ticket }) };
  });
}

/** Lists all owners of the federation by name, without the numbers, for callers that only count. */
export function listLiveOwners(db: Db, federation: string, sample: string): Promise<LiveOwner[]> {
  return validOwners(db, federation)
    .leftJoin('liveEmbeddings', (join) => join.on(isWaiting(sample, new Date())))
    .select([
      'members.owner',
      sql<number | null>`coalesce(live_embeddings.width, octet_length(embedding) / 4)`.as('width'),
    ])
    .execute();
}

/** A sample of a federation, as one text. */
export const liveName = ({ federation, sample }: { federation: string; sample: string }): string =>
  JSON.stringify([federation, sample]);

/**
 * How many owners have sent each of some samples, by `liveName`, together with the revision, which rises when a member is
 * revoked: where the text is the same as before, nothing has changed.
 */
export async function countLive(
  db: Db,
  samples: readonly { federation: string; sample: string }[],
): Promise<Map<string, string>> {
  const [federations, names] = [samples.map(({ federation }) => federation), samples.map(({ sample }) => sample)];
  const { rows } = await sql<{ federation: string; sample: string; state: string }>`
    select waiting.federation, waiting.sample,
      count(live.owner)::text || '/' || (select number from revision)::text as state
    from unnest(${federations}::text[], ${names}::text[]) as waiting (federation, sample)
    left join live_embeddings live on live.federation = waiting.federation and live.sample = waiting.sample
    group by 1, 2`.execute(db);
  return new Map(rows.map(({ state, ...sample }) => [liveName(sample), state]));
}

const validOwners = (db: Db, federation: string) =>
  db
    .selectFrom('members')
    .where('members.federation', '=', federation)
    .where('members.role', '=', 'owner')
    .where('members.revoked', 'is', null)
    .orderBy('members.owner');

const isWaiting =
  (sample: string, now: Date) =>
  (row: ExpressionBuilder<Schema, 'members' | 'liveEmbeddings'>): Expression<SqlBool> =>
    row.and([
      row('liveEmbeddings.federation', '=', row.ref('members.federation')),
      row('liveEmbeddings.owner', '=', row.ref('members.owner')),
      row('liveEmbeddings.sample', '=', sample),
      row('liveEmbeddings.expires', '>', now),
    ]);

export async function removeExpiredEmbeddings(db: Db, now: Date = new Date()): Promise<void> {
  await db.deleteFrom('liveEmbeddings').where('expires', '<=', now).execute();
}

const toBytes = (numbers: Float32Array): Uint8Array =>
  new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);

/** Copies the bytes, because what the database returns need not lie on a multiple of four. */
const fromBytes = (bytes: Uint8Array): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer);
