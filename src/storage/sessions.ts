// [coordinator] Sessions of the dashboard, and the one-time codes that open them. Only hashes are kept.
import { randomBytes, randomUUID } from 'node:crypto';
import { sha256 } from '../base/sha256.ts';
import { F3Error } from '../errors.ts';
import type { Db, MemberRow, SessionRow } from './schema.ts';

const SECRET_BYTES = 32;
/** Shape of a code and of a session's secret. */
const SECRET = /^[\w-]{43}$/;
/** So many codes of a member are open at once; older ones are void. */
const MOST_CODES = 5;
/** So many sessions of a member are open at once; the oldest end when another begins. */
export const MOST_SESSIONS = 20;

/** Hash of a code or of a session's secret; undefined for a text that cannot be one. */
export const sessionHash = (secret: string): string | undefined => (SECRET.test(secret) ? sha256(secret) : undefined);

/** The code is returned this once and stored nowhere. `member.keyId` is the key that vouches for the session. */
export async function createSessionCode(
  db: Db,
  { id, keyId }: Pick<MemberRow, 'id' | 'keyId'>,
  expires: Date,
): Promise<string> {
  const { secret, hash } = newSecret();
  await db.insertInto('sessionCodes').values({ hash, member: id, keyId, expires }).execute();
  const newest = db
    .selectFrom('sessionCodes')
    .select('hash')
    .where('member', '=', id)
    .orderBy('expires', 'desc')
    .limit(MOST_CODES);
  await db.deleteFrom('sessionCodes').where('member', '=', id).where('hash', 'not in', newest).execute();
  return secret;
}

/** Says of each code whether there is such a one. */
export async function knownSessionCodes(db: Db, codes: readonly string[]): Promise<boolean[]> {
  const hashes = codes.map((code) => sessionHash(code));
  const wanted = hashes.filter((hash) => hash !== undefined);
  if (wanted.length === 0) return hashes.map(() => false);
  const rows = await db.selectFrom('sessionCodes').select('hash').where('hash', 'in', wanted).execute();
  const known = new Set(rows.map(({ hash }) => hash));
  return hashes.map((hash) => hash !== undefined && known.has(hash));
}

export interface OpenedSession {
  session: SessionRow;
  /** Shown this once, to the browser. */
  secret: string;
}

/** A code is good once: it is deleted in the statement that finds it, so of two requests with it one opens a session. */
export async function redeemSessionCode(
  trx: Db,
  code: string,
  { address, lifeMs, now = new Date() }: { address: string; lifeMs: number; now?: Date },
): Promise<OpenedSession> {
  const codeHash = sessionHash(code);
  const found =
    codeHash === undefined
      ? undefined
      : await trx.deleteFrom('sessionCodes').where('hash', '=', codeHash).returningAll().executeTakeFirst();
  if (!found || found.expires <= now) throw refusedCode();
  const { secret, hash } = newSecret();
  const session = await trx
    .insertInto('sessions')
    .values({
      id: randomUUID(),
      hash,
      member: found.member,
      keyId: found.keyId,
      address,
      lastUsed: now,
      opened: now,
      expires: new Date(now.getTime() + lifeMs),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  await endOldest(trx, found.member, now);
  return { session, secret };
}

async function endOldest(trx: Db, member: string, now: Date): Promise<void> {
  const open = await trx
    .selectFrom('sessions')
    .select('id')
    .where('member', '=', member)
    .where('ended', 'is', null)
    .orderBy('opened', 'desc')
    .orderBy('id')
    .offset(MOST_SESSIONS)
    .execute();
  if (open.length === 0) return;
  const ids = open.map(({ id }) => id);
  await trx.updateTable('sessions').set({ ended: now }).where('id', 'in', ids).execute();
}

/** Finds those that have ended, too. */
export function findSession(db: Db, hash: string): Promise<SessionRow | undefined> {
  return db.selectFrom('sessions').selectAll().where('hash', '=', hash).executeTakeFirst();
}

/** The time never goes back, although several processes may write it. */
export async function touchSession(db: Db, id: string, used: Date): Promise<void> {
  await db.updateTable('sessions').set({ lastUsed: used }).where('id', '=', id).where('lastUsed', '<', used).execute();
}

export type ListedSessionRow = SessionRow & Pick<MemberRow, 'owner' | 'role' | 'federation'>;

/** Those that have not ended, the newest first: of one member, of one federation, or all. */
export function listSessions(
  db: Db,
  of: { member?: string; federation?: string },
  { idleSince, now = new Date() }: { idleSince: Date; now?: Date },
): Promise<ListedSessionRow[]> {
  let query = db
    .selectFrom('sessions')
    .innerJoin('members', 'members.id', 'sessions.member')
    .selectAll('sessions')
    .select(['members.owner', 'members.role', 'members.federation'])
    .where('sessions.ended', 'is', null)
    .where('sessions.expires', '>', now)
    .where('sessions.lastUsed', '>', idleSince)
    .where('members.revoked', 'is', null);
  if (of.member !== undefined) query = query.where('members.id', '=', of.member);
  if (of.federation !== undefined) query = query.where('members.federation', '=', of.federation);
  return query.orderBy('sessions.opened', 'desc').orderBy('sessions.id').execute();
}

/** Ending one that has ended is no error to whoever ends it twice. */
export async function endSession(db: Db, id: string, now = new Date()): Promise<SessionRow> {
  const ended = await db
    .updateTable('sessions')
    .set((row) => ({ ended: row.fn.coalesce('ended', row.val(now)) }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (ended) return ended;
  throw unknownSession(id);
}

/** Removes codes that nobody used in time, and sessions that ended long ago. */
export async function removeOldSessions(db: Db, before: Date, now = new Date()): Promise<void> {
  await db.deleteFrom('sessionCodes').where('expires', '<', now).execute();
  const old = db.selectFrom('sessions').select('id').where('expires', '<', before);
  // A deletion raises the revision, so there is none without need.
  if (await old.limit(1).executeTakeFirst()) await db.deleteFrom('sessions').where('id', 'in', old).execute();
}

function newSecret(): { secret: string; hash: string } {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { secret, hash: sha256(secret) };
}

export const refusedCode = () =>
  new F3Error(
    'F3_SESSION_CODE',
    'code of the dashboard: must be new and valid, got one that is unknown, used or too old',
  );

export const unknownSession = (id: string) =>
  new F3Error('F3_SESSION_UNKNOWN', `session ${id}: must exist and be one that you may see, got another`);
