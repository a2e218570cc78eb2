// [coordinator] The processes that take trainings, so that whoever waits for a training knows whether there is any.
import { sql } from 'kysely';
import type { Db } from './schema.ts';

/** A worker that was not seen since then is taken for dead. The database's clock counts, which all share. */
const aliveSince = sql<Date>`now() - interval '15 seconds'`;
const forgottenSince = sql<Date>`now() - interval '1 day'`;

/** Called again and again while the worker lives. `memory`: bytes that a training may take there. */
export async function noteWorker(db: Db, id: string, memory: number | null = null): Promise<void> {
  await db
    .insertInto('workers')
    .values({ id, memory })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen: sql`now()` }))
    .execute();
  await db.deleteFrom('workers').where('seen', '<', forgottenSince).execute();
}

export async function removeWorker(db: Db, id: string): Promise<void> {
  await db.deleteFrom('workers').where('id', '=', id).execute();
}

/** Called for a database that nobody else has open: all workers that are noted in it are dead. */
export async function forgetWorkers(db: Db): Promise<void> {
  await db.deleteFrom('workers').execute();
}

export async function countWorkers(db: Db): Promise<number> {
  const { count } = await db
    .selectFrom('workers')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('seen', '>', aliveSince)
    .executeTakeFirstOrThrow();
  return count;
}

/** Bytes that a training may take at the worker that has the most; undefined where no worker says so. */
export async function mostTrainingMemory(db: Db): Promise<number | undefined> {
  const { most } = await db
    .selectFrom('workers')
    .select(({ fn }) => fn.max('memory').as('most'))
    .where('seen', '>', aliveSince)
    .executeTakeFirstOrThrow();
  return most ?? undefined;
}
