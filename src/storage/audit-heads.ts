// [coordinator] Signed heads of the audit logs, and the public keys that they are signed with.
import { sql } from 'kysely';
import { chainHash, entryDigest, genesisHash } from '../exchange/audit/audit-chain.ts';
import type { AuditHead } from '../exchange/audit/audit-head.ts';
import { chainOf } from './audit.ts';
import type { AuditHeadRow, AuditKeyRow, AuditRow, Db } from './schema.ts';

/** The end of a log, and how much of it is sealed. */
export interface ChainEnd {
  federation: string | null;
  count: number;
  hash: string;
  /** Count of the newest signed head; 0 for none. */
  sealed: number;
}

/** The logs that have grown since they were sealed, or one of them, sealed or not. */
export async function listChainEnds(db: Db, federation?: string | null): Promise<ChainEnd[]> {
  const rows = await db
    .selectFrom('auditChains')
    .selectAll()
    .$if(federation === undefined, (query) => query.whereRef('sealed', '<', 'count'))
    .$if(federation !== undefined, (query) => query.where('chain', '=', chainOf(federation as string | null)))
    .execute();
  return rows.map(({ chain, ...end }) => ({ federation: chain === '' ? null : chain, ...end }));
}

const PAGE = 1000;

/** The hash that the entries after the newest head lead to: what a head over all of them may sign. */
export async function hashFromHead(db: Db, { federation, count, sealed }: ChainEnd): Promise<string> {
  let hash = genesisHash(federation);
  if (sealed > 0) hash = (await requireHead(db, federation, sealed)).hash;
  for (let number = sealed; number < count; ) {
    const entries = await db
      .selectFrom('audit')
      .selectAll()
      .where(sql`coalesce(federation, '')`, '=', chainOf(federation))
      .where('number', '>', number)
      .where('number', '<=', count)
      .orderBy('number')
      .limit(PAGE)
      .execute();
    if (entries.length === 0) return '';
    for (const entry of entries) {
      number++;
      if (entry.number !== number) return '';
      hash = chainHash(hash, number, entryDigest(contentOf(entry)));
    }
  }
  return hash;
}

/** What of an entry is hashed. */
export const contentOf = ({ at, federation, actor, action, details, keyId, address }: AuditRow) => ({
  at: at.toISOString(),
  federation,
  actor,
  action,
  details,
  keyId,
  address,
});

async function requireHead(db: Db, federation: string | null, count: number): Promise<AuditHeadRow> {
  return db
    .selectFrom('auditHeads')
    .selectAll()
    .where('chain', '=', chainOf(federation))
    .where('count', '=', count)
    .limit(1)
    .executeTakeFirstOrThrow();
}

/** Of two coordinators that seal at once both heads stay: they say the same. */
export async function addHead(db: Db, { federation, count, hash, at, keyId, signature }: AuditHead): Promise<void> {
  const chain = chainOf(federation);
  await db
    .insertInto('auditHeads')
    .values({ chain, count, hash, at: new Date(at), keyId, signature })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await db
    .updateTable('auditChains')
    .set({ sealed: count })
    .where('chain', '=', chain)
    .where('sealed', '<', count)
    .execute();
}

/** Lists heads by the number of entries that they cover. */
export async function listHeads(
  db: Db,
  federation: string | null,
  { after = 0, limit = 1000 }: { after?: number; limit?: number } = {},
): Promise<AuditHead[]> {
  const rows = await db
    .selectFrom('auditHeads')
    .selectAll()
    .where('chain', '=', chainOf(federation))
    .where('count', '>', after)
    .orderBy('count')
    .limit(limit)
    .execute();
  return rows.map(headOf);
}

export async function latestHead(db: Db, federation: string | null): Promise<AuditHead | undefined> {
  const row = await db
    .selectFrom('auditHeads')
    .selectAll()
    .where('chain', '=', chainOf(federation))
    .orderBy('count', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && headOf(row);
}

const headOf = ({ chain, count, hash, at, keyId, signature }: AuditHeadRow): AuditHead => ({
  federation: chain === '' ? null : chain,
  count,
  hash,
  at: at.toISOString(),
  keyId,
  signature,
});

/** Gives true if the key is new. */
export async function addAuditKey(db: Db, keyId: string, publicKey: object): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('auditKeys')
    .values({ keyId, publicKey: JSON.stringify(publicKey) })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export function listAuditKeys(db: Db): Promise<AuditKeyRow[]> {
  return db.selectFrom('auditKeys').selectAll().orderBy('since').orderBy('keyId').execute();
}
