// [coordinator] Times that only rise, kept in the database: how far the clock has come, and up to when used tokens are forgotten.
import { sql } from 'kysely';
import type { Db } from './schema.ts';

export interface KeptClock {
  /** No token that was issued after this has been accepted, save those among the used tokens. */
  mark: Date;
  /** Tokens that expire up to this are forgotten, and refused. */
  forgotten: Date;
  /** The database's own clock. */
  now: Date;
}

export function readClock(db: Db): Promise<KeptClock> {
  return db
    .selectFrom('clock')
    .select(['mark', 'forgotten', sql<Date>`clock_timestamp()`.as('now')])
    .executeTakeFirstOrThrow();
}

/** On disk when the promise resolves. A mark that is already later stays. */
export async function raiseMark(db: Db, to: Date): Promise<void> {
  await db.updateTable('clock').set({ mark: to }).where('mark', '<', to).execute();
}

/** Called when no token was accepted that was issued after `to`. */
export async function lowerMark(db: Db, to: Date): Promise<void> {
  await db.updateTable('clock').set({ mark: to }).where('mark', '>', to).execute();
}

/** Puts both times back to `now`, which an operator asks for when the clock had been ahead. */
export async function resetClock(db: Db, now: Date): Promise<void> {
  await db.updateTable('clock').set({ mark: now, forgotten: now }).execute();
}
