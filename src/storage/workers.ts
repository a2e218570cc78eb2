// [coordinator] Which processes take trainings, so that whoever waits for one knows whether anybody is there.
import { sql } from 'kysely';
import type { Db } from './schema.ts';

/** One that has not said that it lives for this long is taken for dead. By the database's clock, which all share. */
const lately = sql<Date>`now() - interval '15 seconds'`;
const longAgo = sql<Date>`now() - interval '1 day'`;

/** Again and again while it lives. */
export async function noteWorker(db: Db, id: string): Promise<void> {
  await db
    .insertInto('workers')
    .values({ id })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen: sql`now()` }))
    .execute();
  await db.deleteFrom('workers').where('seen', '<', longAgo).execute();
}

export async function removeWorker(db: Db, id: string): Promise<void> {
  await db.deleteFrom('workers').where('id', '=', id).execute();
}

/** For a database that nobody else has open: all that are noted are dead. */
export async function forgetWorkers(db: Db): Promise<void> {
  await db.deleteFrom('workers').execute();
}

export async function countWorkers(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('workers')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('seen', '>', lately)
    .executeTakeFirstOrThrow();
  return count;
}
