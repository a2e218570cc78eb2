// [coordinator] Chains the entries of the audit log by their hashes, and keeps signed heads. Entries of before are chained as they are.
import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { chainHash, entryDigest, genesisHash } from '../../../exchange/audit/audit-chain.ts';

const BEFORE = [
  `alter table audit add column number bigint`,
  `alter table audit add column hash text`,
  `alter table audit add column key_id text`,
  `alter table audit add column address text`,
  `create table audit_chains (
    chain text primary key,
    count bigint not null,
    hash text not null,
    sealed bigint not null default 0
  )`,
  `create table audit_keys (
    key_id text primary key,
    public_key jsonb not null,
    since timestamptz not null default now()
  )`,
  `create table audit_heads (
    chain text not null,
    count bigint not null,
    hash text not null,
    at timestamptz not null,
    key_id text not null references audit_keys,
    signature text not null,
    primary key (chain, count, key_id)
  )`,
  `alter table audit disable trigger audit_append_only`,
  // JavaScript's times have milliseconds, and what is hashed must be what is kept.
  `update audit set at = date_trunc('milliseconds', at)`,
];
const AFTER = [
  `alter table audit enable trigger audit_append_only`,
  `alter table audit alter column number set not null`,
  `alter table audit alter column hash set not null`,
  `create unique index audit_number on audit (coalesce(federation, ''), number)`,
  `create trigger audit_heads_append_only before update or delete or truncate on audit_heads
    for each statement execute function refuse_audit_change()`,
];
const PAGE = 1000;

interface OldEntry {
  id: number;
  at: Date;
  federation: string | null;
  actor: string;
  action: string;
  details: Record<string, unknown>;
}

export const auditChain: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of BEFORE) await sql.raw(statement).execute(db);
    await chainOldEntries(db);
    for (const statement of AFTER) await sql.raw(statement).execute(db);
  },
};

interface LogEnd {
  number: number;
  hash: string;
}

/** Says in the log that the entries before were chained afterwards. */
async function addMark(
  db: Kysely<unknown>,
  federation: string | null,
  ends: Map<string | null, LogEnd>,
): Promise<void> {
  const before = ends.get(federation) as LogEnd;
  const [at, number] = [new Date().toISOString(), before.number + 1];
  const content = { actor: 'coordinator', action: 'audit.chained', details: { entries: before.number } };
  const { actor, action, details } = content;
  const hash = chainHash(before.hash, number, entryDigest({ ...content, at, federation, keyId: null, address: null }));
  await sql`insert into audit (federation, actor, action, details, at, number, hash) values
    (${federation}, ${actor}, ${action}, ${JSON.stringify(details)}::jsonb, ${at}::timestamptz, ${number}, ${hash})`.execute(
    db,
  );
  ends.set(federation, { number, hash });
}

async function chainOldEntries(db: Kysely<unknown>): Promise<void> {
  const ends = new Map<string | null, LogEnd>();
  for (let last = 0; ; ) {
    const { rows } = await sql<OldEntry>`select id, at, federation, actor, action, details from audit
      where id > ${last} order by id limit ${PAGE}`.execute(db);
    const chained = rows.map(({ id, at, ...rest }) => {
      const end = ends.get(rest.federation) ?? { number: 0, hash: genesisHash(rest.federation) };
      const number = end.number + 1;
      const digest = entryDigest({ ...rest, at: at.toISOString(), keyId: null, address: null });
      const hash = chainHash(end.hash, number, digest);
      ends.set(rest.federation, { number, hash });
      return { id, number, hash };
    });
    if (chained.length === 0) break;
    await sql`update audit set number = entry.number, hash = entry.hash
      from jsonb_to_recordset(${JSON.stringify(chained)}::jsonb) as entry (id bigint, number bigint, hash text)
      where audit.id = entry.id`.execute(db);
    last = chained[chained.length - 1].id;
  }
  for (const federation of [...ends.keys()]) await addMark(db, federation, ends);
  for (const [federation, { number, hash }] of ends) {
    await sql`insert into audit_chains (chain, count, hash) values (${federation ?? ''}, ${number}, ${hash})`.execute(
      db,
    );
  }
}
