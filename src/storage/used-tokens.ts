// [coordinator] Request tokens are good once, over all servers that share the database, whatever their clocks do and whoever crashes.
import { sql } from 'kysely';
import type { Db } from './schema.ts';

/**
 * The table of used tokens is not logged, so that no request waits for the disk, and is empty after a crash of the database. A row
 * of this name, which no token has, lives and dies with the others: its time is the mark of the clock when the table began, and
 * tokens that were issued up to then may have been in the table before.
 */
const LIFE = 'life';

/** Seconds by which the mark is raised at a time: one small write in so long, and the longest wait after a crash. */
export const LEASE_SECONDS = 2;

export interface UsedTokens {
  /** Which of the ids are new. Of the same id twice the first one is. */
  fresh: boolean[];
  /** The revision of the database. Whoever remembers members or federations of an older one must ask again. */
  revision: number;
  /** Tokens that expire up to this time are forgotten: that one of them is new means nothing. */
  forgotten: Date;
  /** Tokens that were issued up to this time may have been used before a crash; null if a crash was just found, of all tokens. */
  floor: Date | null;
  /** Tokens that were issued up to this time are refused after a crash. Those of a later time have to be kept otherwise. */
  mark: Date;
  /** The database's clock. */
  now: Date;
}

/** Takes one statement, however many tokens there are. */
export async function useOnce(db: Db, jtis: readonly string[], expires: readonly Date[]): Promise<UsedTokens> {
  const times = expires.map((time) => time.toISOString());
  const { rows } = await sql<Omit<UsedTokens, 'fresh'> & { jtis: string[] }>`
    with fresh as (
      insert into used_tokens (jti, expires)
      select jti, expires from unnest(${[...jtis]}::text[], ${times}::timestamptz[]) as token (jti, expires)
      where not exists (select from early_tokens where early_tokens.jti = token.jti)
      order by jti
      on conflict do nothing returning jti
    )
    select array(select jti from fresh) as jtis, (select number from revision) as revision, forgotten, mark,
      (select expires from used_tokens where jti = ${LIFE}) as floor, clock_timestamp() as now
    from clock`.execute(db);
  const [{ jtis: inserted, ...clocks }] = rows;
  const unused = new Set(inserted);
  return { fresh: jtis.map((jti) => unused.delete(jti)), ...clocks };
}

/**
 * Raises the mark to a moment from now by the database's clock, on disk when the promise resolves, and says which of the ids are
 * still among the used tokens: others were lost to a crash in between.
 */
export async function raiseSharedMark(db: Db, jtis: readonly string[]): Promise<{ kept: Set<string>; mark: Date }> {
  const lease = sql`clock_timestamp() + make_interval(secs => ${sql.lit(LEASE_SECONDS)})`;
  await sql`update clock set mark = ${lease} where mark < ${lease}`.execute(db);
  const { rows } = await sql<{ jtis: string[]; mark: Date }>`
    select array(select jti from used_tokens where jti = any(${[...jtis]}::text[])) as jtis, mark from clock`.execute(
    db,
  );
  return { kept: new Set(rows[0].jtis), mark: rows[0].mark };
}

/** Begins the table of used tokens, if it is new or a crash has emptied it. Gives the time up to which tokens are refused. */
export async function beginLife(db: Db): Promise<Date> {
  await sql`insert into used_tokens (jti, expires) select ${LIFE}, mark from clock on conflict do nothing`.execute(db);
  const { rows } = await sql<{ floor: Date }>`select expires as floor from used_tokens where jti = ${LIFE}`.execute(db);
  return rows[0].floor;
}

/** Keeps tokens that were issued after the mark, by clients whose clocks are ahead, on disk when the promise resolves. */
export async function keepEarly(db: Db, jtis: readonly string[], expires: readonly Date[]): Promise<Set<string>> {
  const times = expires.map((time) => time.toISOString());
  const { rows } = await sql<{ jti: string }>`
    insert into early_tokens (jti, expires)
    select jti, expires from unnest(${[...jtis]}::text[], ${times}::timestamptz[]) as token (jti, expires) order by jti
    on conflict do nothing returning jti`.execute(db);
  return new Set(rows.map(({ jti }) => jti));
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
  const isOld = sql`expires < (select forgotten from clock) - ${SEEN}`;
  await sql`delete from used_tokens where ${isOld} and jti <> ${LIFE}`.execute(db);
  await sql`delete from early_tokens where ${isOld}`.execute(db);
  await sql`update clock set forgotten = now() - ${KEPT} where forgotten < now() - ${KEPT}`.execute(db);
}

/** Tokens that outlive a crash and are still remembered, with the seconds at which they expire. */
export async function listEarlyTokens(db: Db): Promise<{ jti: string; exp: number }[]> {
  const rows = await db.selectFrom('earlyTokens').selectAll().execute();
  return rows.map(({ jti, expires }) => ({ jti, exp: Math.ceil(expires.getTime() / 1000) }));
}

/** Lets tokens in that were issued after `time`, which an operator asks for when the clock had been ahead. */
export async function lowerFloor(db: Db, time: Date): Promise<void> {
  await db.updateTable('usedTokens').set({ expires: time }).where('jti', '=', LIFE).execute();
}
