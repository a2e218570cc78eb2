// [coordinator] The audit log: who did what when. The database refuses to change or delete an entry.
import type { AuditRow, Db, JsonObject } from './schema.ts';

/** The name in the log for what the coordinator did by itself; no member may be called so. */
export const COORDINATOR = 'coordinator';

export interface NewAuditEntry {
  /** The federation that is concerned; null for the whole server. */
  federation: string | null;
  /** Name of the member, or of the part of f3 that acted by itself. */
  actor: string;
  action: string;
  details?: JsonObject;
}

/** Called in the transaction of what the entry tells of, so that there is never one without the other. */
export function appendAudit(db: Db, { federation, actor, action, details = {} }: NewAuditEntry): Promise<AuditRow> {
  return db
    .insertInto('audit')
    .values({ federation, actor, action, details: JSON.stringify(details) })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export interface AuditQuery {
  /** Without it entries of all federations and of the server itself are listed. */
  federation?: string | undefined;
  /** Id of the last entry that was seen. */
  after?: number | undefined;
  limit?: number | undefined;
}

/** Lists the oldest first. Of entries made at the same moment a lower id may appear after a higher one. */
export function listAudit(db: Db, { federation, after = 0, limit = 100 }: AuditQuery = {}): Promise<AuditRow[]> {
  return db
    .selectFrom('audit')
    .selectAll()
    .where('id', '>', after)
    .$if(federation !== undefined, (query) => query.where('federation', '=', federation!))
    .orderBy('id')
    .limit(limit)
    .execute();
}
