// [coordinator] Sessions of the dashboard: a signed request gets a one-time code, the code becomes a cookie, and people see and end
// the sessions that are open.
import { z } from 'zod';
import { Batches } from '../../base/batches.ts';
import { VERSION } from '../../base/version.ts';
import { errorCode, F3Error } from '../../errors.ts';
import {
  sessionCodeSchema,
  sessionListSchema,
  sessionRequestSchema,
  sessionSchema,
} from '../../exchange/messages/sessions.ts';
import { appendAudit } from '../../storage/audit.ts';
import { inTransaction } from '../../storage/database/in-transaction.ts';
import { findMemberByKeyId } from '../../storage/members.ts';
import type { MemberRow, SessionRow } from '../../storage/schema.ts';
import {
  createSessionCode,
  endSession,
  knownSessionCodes,
  type ListedSessionRow,
  listSessions,
  type OpenedSession,
  redeemSessionCode,
  refusedCode,
  unknownSession,
} from '../../storage/sessions.ts';
import type { TypedApp } from '../app.ts';
import { BODY_BYTES } from '../http/body-parsers.ts';
import { MinuteLimit } from '../http/minute-limit.ts';
import type { ServerContext } from '../server-context.ts';
import { requireOwnPage, sessionCookies } from '../tokens/session-access.ts';

const ANYBODY = { allow: ['operator', 'labels', 'owner'], hasNoPlace: true } as const;
/** A code is clicked or copied at once. */
export const CODE_MS = 10 * 60_000;
/** A member opens a few sessions a day. */
const CODES_PER_MINUTE = 60;
/** Codes that are guessed at the same moment are looked up in one statement, so a flood of them costs few statements. */
const LOOK_UPS = { maxItems: 1000, maxUnderWay: 1 };

export function addSessions(app: TypedApp, { store, limits }: ServerContext): void {
  const { db } = store;
  const { sessionIdleMs, sessionMs: lifeMs } = limits;
  const failures = new MinuteLimit(limits.wrongCodesPerMinute);
  const codes = new MinuteLimit(CODES_PER_MINUTE);
  const lookUps = new Batches((guesses: string[]) => knownSessionCodes(db, guesses), LOOK_UPS);

  /** Of the member that the code was made for. */
  async function open(code: string, address: string): Promise<OpenedSession & { member: MemberRow }> {
    if (!(await lookUps.add(code))) throw refusedCode();
    return inTransaction(db, async (trx) => {
      const opened = await redeemSessionCode(trx, code, { address, lifeMs });
      const member = await findMemberByKeyId(trx, opened.session.keyId);
      if (!member || member.revoked || (member.keyEnds && member.keyEnds <= new Date())) {
        throw new F3Error('F3_AUTH_REVOKED', 'code of the dashboard: its key must be valid, got a revoked one');
      }
      const details = { session: opened.session.id, expires: opened.session.expires.toISOString() };
      const { federation, owner: actor } = member;
      await appendAudit(trx, { federation, actor, action: 'session.opened', details });
      return { ...opened, member };
    });
  }

  app.post(
    '/v1/sessions/codes',
    { schema: { response: { 200: sessionCodeSchema } }, config: { ...ANYBODY, needsKey: true } },
    ({ member }, reply) => {
      const seconds = codes.note(member.id);
      if (seconds === 0) return newSessionCode(store, member);
      reply.header('retry-after', seconds);
      const rule = `may ask for ${CODES_PER_MINUTE} codes of the dashboard a minute`;
      throw new F3Error('F3_RATE_LIMIT', `member ${member.owner}: ${rule}, got another`);
    },
  );

  app.post(
    '/v1/sessions',
    {
      schema: { body: sessionRequestSchema, response: { 200: sessionSchema } },
      bodyLimit: BODY_BYTES.enrolment,
      config: { allow: 'public', rateLimit: false },
    },
    async (request, reply) => {
      requireOwnPage(request);
      const opened = await open(request.body.code, request.ip).catch((error: unknown) => {
        const seconds = errorCode(error) === 'F3_SESSION_CODE' ? failures.note(request.ip) : 0;
        if (seconds === 0) throw error;
        reply.header('retry-after', seconds);
        const rule = `must be new and valid, got too many that are not from ${request.ip}`;
        throw new F3Error('F3_RATE_LIMIT', `code of the dashboard: ${rule}; a valid one passes at any time`);
      });
      reply.header('set-cookie', sessionCookies(request, opened.secret, lifeMs)).header('cache-control', 'no-store');
      return shownSession(opened.session, opened.member, sessionIdleMs);
    },
  );

  app.get(
    '/v1/session',
    { schema: { response: { 200: sessionSchema } }, config: ANYBODY },
    async ({ session, member }, reply) => {
      reply.header('cache-control', 'no-store');
      if (session) return shownSession(session, member, sessionIdleMs);
      throw new F3Error('F3_SESSION', 'session: must come with the cookie of one, got a token');
    },
  );

  app.delete('/v1/session', { config: { ...ANYBODY, isOwnSession: true } }, async (request, reply) => {
    const { session, member } = request;
    if (!session) throw new F3Error('F3_SESSION', 'session: must come with the cookie of one, got a token');
    await inTransaction(db, async (trx) => {
      await endSession(trx, session.id);
      const entry = { federation: member.federation, actor: member.owner, action: 'session.closed' };
      await appendAudit(trx, { ...entry, details: { session: session.id } });
    });
    reply.header('set-cookie', sessionCookies(request, undefined));
    return { id: session.id };
  });

  app.get(
    '/v1/sessions',
    { schema: { response: { 200: sessionListSchema } }, config: ANYBODY },
    async ({ session, member }) => ({
      sessions: (await visible(member)).map((one) => listedSession(one, session)),
    }),
  );

  app.post(
    '/v1/sessions/:id/revoke',
    { schema: { params: z.object({ id: z.uuid() }) }, config: { ...ANYBODY, isOwnSession: true } },
    async ({ params: { id }, member }) => {
      const found = (await visible(member)).find((one) => one.id === id);
      if (!found) throw unknownSession(id);
      return inTransaction(db, async (trx) => {
        const { ended } = await endSession(trx, id);
        const details = { session: id, owner: found.owner };
        const entry = { federation: found.federation, actor: member.owner, action: 'session.revoked' };
        await appendAudit(trx, { ...entry, details });
        return { id, owner: found.owner, ended };
      });
    },
  );

  /** Operators see the sessions of all whom they could revoke, others their own. */
  function visible({ id, role, federation }: MemberRow): Promise<ListedSessionRow[]> {
    const idleSince = new Date(Date.now() - sessionIdleMs);
    if (role !== 'operator') return listSessions(db, { member: id }, { idleSince });
    return listSessions(db, federation === null ? {} : { federation }, { idleSince });
  }
}

/** A code for the member's next session. */
export async function newSessionCode(
  { db }: ServerContext['store'],
  member: Pick<MemberRow, 'id' | 'keyId'>,
): Promise<{ code: string; expires: string }> {
  const expires = new Date(Date.now() + CODE_MS);
  return { code: await createSessionCode(db, member, expires), expires: expires.toISOString() };
}

const shownSession = ({ id, opened, expires }: SessionRow, { owner, role, federation }: MemberRow, idleMs: number) => ({
  id,
  owner,
  role,
  federation,
  opened: opened.toISOString(),
  expires: expires.toISOString(),
  idleSeconds: idleMs / 1000,
  version: VERSION,
});

const listedSession = (one: ListedSessionRow, current: SessionRow | null) => ({
  id: one.id,
  owner: one.owner,
  role: one.role,
  federation: one.federation,
  opened: one.opened.toISOString(),
  lastUsed: one.lastUsed.toISOString(),
  expires: one.expires.toISOString(),
  address: one.address,
  current: one.id === current?.id,
});
