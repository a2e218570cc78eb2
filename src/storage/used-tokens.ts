// [coordinator] Request tokens are good once, over all servers that share the database, whatever their clocks do.
import { sql } from 'kysely';
import type { Db } from './schema.ts';

export interface UsedTokens {
  /** Which of the ids are new. Of the same id twice the first one is. */
  fresh: boolean[];
  /** The revision of the database. Whoever remembers members or federations of an older one must ask again. */
  revision: number;
  /** Tokens that expire up to this time are forgotten: that one of them is new means nothing. */
  forgotten: Date;
}

/** Takes one statement, however many tokens there are. */
export async function useOnce(db: Db, jtis: readonly string[], expires: readonly Date[]): Promise<UsedTokens> {
  const times = expires.map((time) => time.toISOString());
  const { rows } = await sql<{ jtis: string[]; revision: number; forgotten: Date }>`
    with fresh as (
      insert into used_tokens (jti, expires)
      select jti, expires from unnest(${[...jtis]}::text[], ${times}::timestamptz[]) as token (jti, expires)
      order by jti
      on conflict do nothing returning jti
    )
    select array(select jti from fresh) as jtis, (select number from revision) as revision,
      (select forgotten from clock) as forgotten`.execute(db);
  const [{ jtis: inserted, revision, forgotten }] = rows;
  const unused = new Set(inserted);
  return { fresh: jtis.map((jti) => unused.delete(jti)), revision, forgotten };
}

/** How long a token is kept after it expired, by the database's clock, because another server's clock may be behind. */
const KEPT = sql`interval '60 seconds'`;
/** A statement under way may not have seen yet that a token is forgotten, so its row stays for this much longer. */
const SEEN = sql`interval '30 seconds'`;

/**
 * Forgets tokens that have expired. First it is written down up to when they are forgotten; the rows go later. A clock that
 * goes back then makes none of them good again. The database's clock counts, which all servers share.
 */
export async function forgetExpiredTokens(db: Db): Promise<void> {
  await sql`delete from used_tokens where expires < (select forgotten from clock) - ${SEEN}`.execute(db);
  await sql`update clock set forgotten = now() - ${KEPT} where forgotten < now() - ${KEPT}`.execute(db);
}

/** Tokens that are still remembered, with the seconds at which they expire. */
export async function listUsedTokens(db: Db): Promise<{ jti: string; exp: number }[]> {
  const rows = await db.selectFrom('usedTokens').selectAll().execute();
  return rows.map(({ jti, expires }) => ({ jti, exp: Math.ceil(expires.getTime() / 1000) }));
}
