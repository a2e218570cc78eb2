// [coordinator] Does work wholly or not at all: in a transaction of its own, or in the one the caller is in.
import type { Db } from '../schema.ts';

/** The work must use `trx` only: the embedded database has one connection, and asking for another would wait forever. */
export function inTransaction<T>(db: Db, work: (trx: Db) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}
