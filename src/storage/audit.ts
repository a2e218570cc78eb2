// [coordinator] The audit log: who did what when. Entries are chained by their hashes; the database refuses to change or delete one.
import { sql } from 'kysely';
import { entryDigest, genesisHash } from '../exchange/audit/audit-chain.ts';
import { auditOrigin, NO_ORIGIN } from './audit-origin.ts';
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

/** Name of a federation's chain; the server's own has the empty one. */
export const chainOf = (federation: string | null): string => federation ?? '';

/**
 * Called in the transaction of what the entry tells of, so that there is never one without the other. Until that ends, nobody
 * else appends to the same log: call it late.
 */
export async function appendAudit(
  db: Db,
  { federation, actor, action, details = {} }: NewAuditEntry,
  now: Date = new Date(),
): Promise<AuditRow> {
  const { keyId, address } = auditOrigin.getStore() ?? NO_ORIGIN;
  const kept = JSON.stringify(details);
  const at = now.toISOString();
  const digest = entryDigest({ at, federation, actor, action, details: JSON.parse(kept), keyId, address });
  const hashAfter = (before: ReturnType<typeof sql>, number: ReturnType<typeof sql>) =>
    sql`encode(sha256(convert_to(${before} || E'\\n' || (${number})::text || E'\\n' || ${digest}::text, 'UTF8')), 'hex')`;
  const first = hashAfter(sql`${genesisHash(federation)}::text`, sql`1`);
  const next = hashAfter(sql`audit_chains.hash`, sql`audit_chains.count + 1`);
  const { rows } = await sql<AuditRow>`
    with place as (
      insert into audit_chains (chain, count, hash) values (${chainOf(federation)}, 1, ${first})
      on conflict (chain) do update set count = audit_chains.count + 1, hash = ${next}
      returning count, hash
    )
    insert into audit (federation, actor, action, details, at, key_id, address, number, hash)
    select ${federation}::text, ${actor}::text, ${action}::text, ${kept}::jsonb, ${at}::timestamptz, ${keyId}::text,
      ${address}::text, count, hash from place
    returning *`.execute(db);
  return rows[0];
}

export interface AuditQuery {
  /** Null for the server's own log. Without it entries of all logs are listed. */
  federation?: string | null | undefined;
  /** Id of the last entry that was seen. */
  after?: number | undefined;
  /** Entries from this id on are left out. */
  before?: number | undefined;
  order?: 'oldest' | 'newest' | undefined;
  limit?: number | undefined;
}

/** Lists the oldest first unless told otherwise. Of several logs, a lower id may appear after a higher one. */
export function listAudit(
  db: Db,
  { federation, after = 0, before, order = 'oldest', limit = 100 }: AuditQuery = {},
): Promise<AuditRow[]> {
  return db
    .selectFrom('audit')
    .selectAll()
    .where('id', '>', after)
    .$if(before !== undefined, (query) => query.where('id', '<', before!))
    .$if(typeof federation === 'string', (query) => query.where('federation', '=', federation!))
    .$if(federation === null, (query) => query.where('federation', 'is', null))
    .orderBy('id', order === 'newest' ? 'desc' : 'asc')
    .limit(limit)
    .execute();
}
