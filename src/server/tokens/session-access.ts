// [coordinator] Checks the cookie of a browser's session, when it was used last, and that its own page sent the request.
import type { FastifyRequest } from 'fastify';
import { F3Error } from '../../errors.ts';
import { SESSION_HEADER } from '../../exchange/messages/sessions.ts';
import type { Store } from '../../storage/database/open-database.ts';
import type { MemberRow, SessionRow } from '../../storage/schema.ts';
import { findSession, sessionHash, touchSession } from '../../storage/sessions.ts';
import type { ServerLimits } from '../server-limits.ts';
import type { Directory } from './directory.ts';

/** The use of a session is noted at most this often, because a request should not cost a write. */
const NOTE_MS = 60_000;
/** Browsers take a cookie of this beginning over TLS only, for one host and all of its paths. */
const OVER_TLS = '__Host-f3_session';
const PLAIN = 'f3_session';

export interface KnownSession {
  session: SessionRow;
  member: MemberRow;
}

export class SessionAccess {
  readonly #store: Store;
  readonly #directory: Directory;
  readonly #idleMs: number;
  /** By session, when it was used last and when that was noted. */
  readonly #used = new Map<string, { at: number; noted: number }>();
  #noting: Promise<void> = Promise.resolve();

  constructor(store: Store, directory: Directory, { sessionIdleMs }: Pick<ServerLimits, 'sessionIdleMs'>) {
    this.#store = store;
    this.#directory = directory;
    this.#idleMs = sessionIdleMs;
  }

  /** Throws unless the session is known, has not ended and was used lately. `member` may be revoked. */
  async require(secret: string, now = Date.now()): Promise<KnownSession> {
    const hash = sessionHash(secret);
    const known = hash === undefined ? undefined : await this.#directory.session(hash);
    if (hash === undefined || !known) throw over('an unknown one');
    if (known.ended) throw over('one that was ended');
    if (known.expires.getTime() <= now) throw over(`one that ended at ${known.expires.toISOString()}`);
    if (await this.#isIdle(known, hash, now))
      throw over(`one that was idle for ${Math.round(this.#idleMs / 60_000)} minutes`);
    const member = await this.#directory.member(known.keyId);
    if (!member || member.id !== known.member) throw over('one of a key that is gone');
    return { session: known, member };
  }

  /** Requests do not wait for the write. */
  note({ id }: SessionRow, now = Date.now()): void {
    const before = this.#used.get(id);
    const isDue = !before || now - before.noted >= Math.min(NOTE_MS, this.#idleMs / 4);
    this.#used.set(id, { at: now, noted: isDue ? now : before.noted });
    if (!isDue) return;
    this.#forgetOld(now);
    this.#noting = this.#noting.then(() => touchSession(this.#store.db, id, new Date(now))).catch(() => undefined);
  }

  /** Resolves when all notes are written. */
  close(): Promise<void> {
    return this.#noting;
  }

  /** Another process may have seen it since this one has read it, so the database is asked before it counts as idle. */
  async #isIdle({ id, lastUsed }: SessionRow, hash: string, now: number): Promise<boolean> {
    const isOld = (at: number) => now - at >= this.#idleMs;
    if (!isOld(Math.max(lastUsed.getTime(), this.#used.get(id)?.at ?? 0))) return false;
    const current = await findSession(this.#store.db, hash);
    if (!current || isOld(current.lastUsed.getTime())) return true;
    this.#used.set(id, { at: current.lastUsed.getTime(), noted: current.lastUsed.getTime() });
    return false;
  }

  #forgetOld(now: number): void {
    for (const [id, { at }] of this.#used) if (now - at >= this.#idleMs) this.#used.delete(id);
  }
}

const over = (found: string) =>
  new F3Error('F3_SESSION', `session: must be one that is open, got ${found}; ask for a new link`);

/** The value of the session's cookie. */
export function sessionSecret({ headers: { cookie = '' } }: FastifyRequest): string | undefined {
  for (const name of [OVER_TLS, PLAIN]) {
    const found = cookie.split(';').find((part) => part.trimStart().startsWith(`${name}=`));
    if (found) return found.slice(found.indexOf('=') + 1).trim();
  }
  return undefined;
}

/** `secret` undefined takes the cookie away. A proxy may speak TLS for the coordinator; the page's origin says so. */
export function sessionCookies(request: FastifyRequest, secret: string | undefined, lifeMs = 0): string[] {
  const isOverTls = request.protocol === 'https' || (request.headers.origin ?? '').startsWith('https://');
  const rules = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${secret === undefined ? 0 : Math.floor(lifeMs / 1000)}`;
  const cookie = (name: string, value: string) => `${name}=${value}; ${rules}${name === OVER_TLS ? '; Secure' : ''}`;
  if (secret !== undefined) return [cookie(isOverTls ? OVER_TLS : PLAIN, secret)];
  return isOverTls ? [cookie(OVER_TLS, ''), cookie(PLAIN, '')] : [cookie(PLAIN, '')];
}

/**
 * Another site can make a browser send requests, and the cookie's SameSite keeps it from sending the cookie with them. This is
 * the second lock: what changes something needs a header that no other site can set, and must come from the page's own origin.
 */
export function requireOwnPage({ method, headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  const isRead = method === 'GET' || method === 'HEAD';
  if (isRead && (site === undefined || site === 'same-origin' || site === 'none')) return;
  const isSameOrigin = site === undefined ? originHost(headers.origin) === headers.host : site === 'same-origin';
  if (isSameOrigin && (isRead || headers[SESSION_HEADER] === '1')) return;
  const rule = `a request of a session must come from the coordinator's own page, with the header ${SESSION_HEADER}`;
  throw new F3Error(
    'F3_SESSION_ORIGIN',
    `session: ${rule}, got one from ${site ?? headers.origin ?? 'an unknown place'}`,
  );
}

function originHost(origin: string | undefined): string | undefined {
  try {
    return origin === undefined ? undefined : new URL(origin).host;
  } catch {
    return undefined;
  }
}
