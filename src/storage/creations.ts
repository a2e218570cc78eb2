// [coordinator] Requests that make something, by the key their sender gave them: sent again, they make nothing more.
import { F3Error } from '../errors.ts';
import { inTransaction } from './database/in-transaction.ts';
import type { Db } from './schema.ts';

export interface CreationRequest {
  /** Id of the member who asks; keys of different members are different. */
  member: string;
  /** Without one, every request makes something. */
  key: string | undefined;
  /** Hash of the request: a key stands for one request. */
  request: string;
}

export interface Made<T> {
  /** What `again` needs to find it. Not the answer: that may hold a secret. */
  subject: string;
  answer: T;
}

export interface Creation<T> {
  make(trx: Db): Promise<Made<T>>;
  /** The answer was lost; give it once more. */
  again(trx: Db, subject: string): Promise<Made<T>>;
}

/** All in one transaction. Of the same request twice at once, one makes and the other waits for it. */
export function createOnce<T>(db: Db, { member, key, request }: CreationRequest, creation: Creation<T>): Promise<T> {
  return inTransaction(db, async (trx) => {
    if (key === undefined) return (await creation.make(trx)).answer;
    const fresh = await trx
      .insertInto('creations')
      .values({ member, key, request })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    const { subject, answer } =
      fresh.numInsertedOrUpdatedRows === 1n
        ? await creation.make(trx)
        : await creation.again(trx, await subjectOf(trx, { member, key, request }));
    await trx.updateTable('creations').set({ subject }).where('member', '=', member).where('key', '=', key).execute();
    return answer;
  });
}

async function subjectOf(trx: Db, { member, key, request }: CreationRequest): Promise<string> {
  const known = await trx
    .selectFrom('creations')
    .select(['request', 'subject'])
    .where('member', '=', member)
    .where('key', '=', key as string)
    .forUpdate()
    .executeTakeFirstOrThrow();
  if (known.request === request) return known.subject;
  throw new F3Error('F3_REQUEST_KEY', 'Idempotency-Key: must be new for a new request, got one that was used before');
}

/** Nobody tries for that long. */
export async function removeOldCreations(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('creations').where('created', '<', before).execute();
}
