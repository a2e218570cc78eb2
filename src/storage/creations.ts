// [coordinator] Remembers requests that create something by the key that their sender gave them: sent again, they create nothing
// more.
import { F3Error } from '../errors.ts';
import { inTransaction } from './database/in-transaction.ts';
import type { Db } from './schema.ts';

export interface CreationRequest {
  /** Id of the member who asks; keys of different members are different. */
  member: string;
  /** Without a key every request creates something. */
  key: string | undefined;
  /** Hash of the request, because a key stands for one request. */
  request: string;
}

export interface CreatedThing<T> {
  /** What `repeat` needs to find the thing. It is not the answer, which may hold a secret. */
  subject: string;
  answer: T;
}

export interface Creation<T> {
  create(trx: Db): Promise<CreatedThing<T>>;
  /** Gives the answer once more, because it was lost. */
  repeat(trx: Db, subject: string): Promise<CreatedThing<T>>;
}

/** Does all in one transaction. Of the same request twice at once, one creates and the other waits for it. */
export function createOnce<T>(db: Db, { member, key, request }: CreationRequest, creation: Creation<T>): Promise<T> {
  return inTransaction(db, async (trx) => {
    if (key === undefined) return (await creation.create(trx)).answer;
    const fresh = await trx
      .insertInto('creations')
      .values({ member, key, request })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    const { subject, answer } =
      fresh.numInsertedOrUpdatedRows === 1n
        ? await creation.create(trx)
        : await creation.repeat(trx, await subjectOf(trx, { member, key, request }));
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

/** Forgets requests that nobody will send again after so long. */
export async function removeOldCreations(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('creations').where('created', '<', before).execute();
}
