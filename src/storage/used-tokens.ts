// [coordinator] Request tokens are good once, over all servers that share the database.
import { sql } from 'kysely';
import type { Db } from './schema.ts';

export interface UsedTokens {
  /** Which of the ids are new. Of the same id twice the first one is. */
  fresh: boolean[];
  /** The revision of the database. Whoever remembers members or federations of an older one must ask again. */
  revision: number;
}

/** Takes one statement, however many tokens there are. */
export async function useOnce(db: Db, jtis: readonly string[], expires: readonly Date[]): Promise<UsedTokens> {
  const times = expires.map((time) => time.toISOString());
  const { rows } = await sql<{ jtis: string[]; revision: number }>`
    with fresh as (
      insert into used_tokens (jti, expires)
      select jti, expires from unnest(${[...jtis]}::text[], ${times}::timestamptz[]) as token (jti, expires)
      order by jti
      on conflict do nothing returning jti
    )
    select array(select jti from fresh) as jtis, (select number from revision) as revision`.execute(db);
  const [{ jtis: inserted, revision }] = rows;
  const unused = new Set(inserted);
  return { fresh: jtis.map((jti) => unused.delete(jti)), revision };
}

/** Forgets tokens that have expired, which are refused for that from then on. */
export async function removeExpiredTokens(db: Db, now: Date = new Date()): Promise<void> {
  await db.deleteFrom('usedTokens').where('expires', '<', now).execute();
}
