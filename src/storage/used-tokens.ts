// [coordinator] Request tokens are good once, over all servers that share the database.
import { sql } from 'kysely';
import type { Db } from './schema.ts';

/** Which of the ids are new. One statement, however many; of the same id twice, the first is new. */
export async function useOnce(db: Db, jtis: readonly string[], expires: readonly Date[]): Promise<boolean[]> {
  if (jtis.length === 0) return [];
  const times = expires.map((time) => time.toISOString());
  const { rows } = await sql<{ jti: string }>`
    insert into used_tokens (jti, expires)
    select jti, expires from unnest(${[...jtis]}::text[], ${times}::timestamptz[]) as token (jti, expires)
    order by jti
    on conflict do nothing returning jti`.execute(db);
  const fresh = new Set(rows.map(({ jti }) => jti));
  return jtis.map((jti) => fresh.delete(jti));
}

/** A token is refused by its own expiry from then on. */
export async function removeExpiredTokens(db: Db, now: Date = new Date()): Promise<void> {
  await db.deleteFrom('usedTokens').where('expires', '<', now).execute();
}
