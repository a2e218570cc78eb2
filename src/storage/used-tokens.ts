// [coordinator] Request tokens are good once, over all servers that share the database.
import { sql } from 'kysely';
import type { Db } from './schema.ts';

export interface UsedTokens {
  /** Which of the ids are new; of the same id twice, the first. */
  fresh: boolean[];
  /** Of the database when it was asked: whoever remembers members or federations of an older one must ask again. */
  revision: number;
}

/** One statement, however many tokens. */
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

/** A token is refused by its own expiry from then on. */
export async function removeExpiredTokens(db: Db, now: Date = new Date()): Promise<void> {
  await db.deleteFrom('usedTokens').where('expires', '<', now).execute();
}
