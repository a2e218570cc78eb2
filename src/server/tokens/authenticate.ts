// [coordinator] Finds out who asks: a member, by a token that its key signed for this request or by the cookie of a session, or a
// static inference token.
import { generateKeyPairSync } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { JWK } from 'jose';
import { F3Error } from '../../errors.ts';
import { bodyHash, readKeyId, requireSignedBody, type VerifiedToken } from '../../exchange/identity/request-token.ts';
import { BY_ITSELF, SESSION_HEADER } from '../../exchange/messages/sessions.ts';
import type { Role } from '../../exchange/messages.ts';
import { findMemberByKeyId } from '../../storage/members.ts';
import type { InferenceTokenRow, MemberRow, SessionRow } from '../../storage/schema.ts';
import { findSession } from '../../storage/sessions.ts';
import type { ServerContext } from '../server-context.ts';
import type { Directory } from './directory.ts';
import { isInferenceToken } from './inference-access.ts';
import { requireOwnPage, sessionSecret } from './session-access.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The member that asks; set on every route that is not public, unless the request has an inference token. */
    member: MemberRow;
    inferenceToken: InferenceTokenRow | null;
    /** The session of the dashboard, for a request that came with its cookie instead of a token. */
    session: SessionRow | null;
    /** The body's bytes as they were received; empty if there is no body. */
    rawBody: Uint8Array;
    /** The member's token, whose signature was checked before the body was read. */
    signedToken: VerifiedToken;
  }
  interface FastifyContextConfig {
    /** Roles that may ask; `public` needs no token. An operator of the server may ask wherever a role is named. */
    allow?: readonly Role[] | 'public';
    /** The route belongs to no federation, and members of any federation may ask. */
    hasNoPlace?: boolean;
    /** The federation's inference tokens may ask, too. */
    allowsInferenceTokens?: boolean;
    /** Only a signed request may ask, and no session: for keys and secrets, and for what owners send. */
    needsKey?: boolean;
    /** A session of any role may ask, although the request changes something: the session itself. */
    isOwnSession?: boolean;
    /** The request changes nothing, although it is no GET. */
    isQuestion?: boolean;
    /** An answer that goes on and on does not count as use of the session. */
    isStream?: boolean;
  }
}

const NO_BODY = new Uint8Array();
/** A public key whose other half was thrown away. */
const NOBODY = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });

/**
 * Who asks is known before anything of the body is read: the token's signature covers a hash of the body, so it is checked
 * first, and the body is compared with that hash when it has come.
 */
export function addAuthentication(app: FastifyInstance, context: ServerContext): void {
  const { store, directory, ledger, tokens, inference, sessions, lastSeen } = context;
  app.decorateRequest('member', null as unknown as MemberRow);
  app.decorateRequest('inferenceToken', null);
  app.decorateRequest('session', null);
  app.decorateRequest('rawBody', null as unknown as Uint8Array);
  app.decorateRequest('signedToken', null as unknown as VerifiedToken);

  app.addHook('onRequest', async (request) => {
    request.rawBody = NO_BODY;
    if (isPublic(request)) return;
    const secret = cookieOf(request);
    if (secret !== undefined) {
      requireOwnPage(request);
      const { session, member } = await sessions.require(secret);
      Object.assign(request, { session, member: requireValid(member) });
      checkPlace(request, member);
      requireSessionRoute(request, member, context.isReadOnly);
      return;
    }
    const token = tokenOf(request);
    if (isInferenceToken(token)) {
      requireInferenceRoute(request);
      request.inferenceToken = await inference.require(token, placeOf(request));
      return;
    }
    const keyId = readKeyId(token);
    const member = await directory.member(keyId);
    const head = { method: request.method, path: request.raw.url ?? '' };
    // A key that nobody knows is checked as well, against one that signs nothing, so that it is refused like a wrong signature.
    const key = (member?.publicKey ?? NOBODY) as JWK;
    request.signedToken = await tokens.verify(token, key, head, ledger.now()).catch(async (error) => {
      // An unknown key has cost a query, so a known one costs one too.
      if (member) await findMemberByKeyId(store.db, keyId);
      throw error;
    });
    if (!member) throw unknownKey();
    request.member = member;
    requireValid(member);
    checkPlace(request, member);
  });

  app.addHook('preValidation', async (request) => {
    if (isPublic(request)) return;
    if (request.inferenceToken) {
      await ledger.current();
      const token = await inference.require(tokenOf(request), placeOf(request));
      request.inferenceToken = token;
      inference.note(token);
      return;
    }
    if (request.session) {
      await ledger.current();
      const { session, member } = await sessions.require(cookieOf(request) ?? '');
      Object.assign(request, { session, member: requireValid(member) });
      if (isByHand(request)) {
        sessions.note(session);
        lastSeen.note(member.id);
      }
      return;
    }
    const { keyId } = request.member;
    requireSignedBody(request.signedToken.bodyHash, bodyHash(request.rawBody));
    await ledger.use(request.signedToken);
    // The member is looked up again: a revocation may have arrived with the ledger's answer, or while the body was received.
    request.member = requireValid(await knownMember(directory, keyId));
    lastSeen.note(request.member.id);
  });
}

/**
 * Whether whoever opened a stream may still read it. The database is asked, because an open stream makes no requests that would
 * update the directory.
 */
export async function mayStillRead(
  { store: { db }, sessions }: ServerContext,
  request: FastifyRequest,
): Promise<boolean> {
  const member = await findMemberByKeyId(db, request.member.keyId);
  if (!member || member.revoked || (member.keyEnds && member.keyEnds <= new Date())) return false;
  if (!request.session) return true;
  if ((await findSession(db, request.session.hash))?.ended !== null) return false;
  return sessions.require(cookieOf(request) ?? '').then(
    () => true,
    () => false,
  );
}

/** A token goes before a cookie. */
const cookieOf = (request: FastifyRequest): string | undefined =>
  request.headers.authorization === undefined ? sessionSecret(request) : undefined;

/** A page that asks by itself, or that only listens, does not keep its session alive. */
const isByHand = ({ headers, routeOptions: { config } }: FastifyRequest): boolean =>
  !config.isStream && headers[SESSION_HEADER] !== BY_ITSELF;

/** Sessions of owners read; those of others act, except where a signature is asked for. */
function requireSessionRoute(
  { method, routeOptions: { config } }: FastifyRequest,
  { owner, role }: MemberRow,
  isReadOnly: boolean,
): void {
  if (config.needsKey) {
    const rule = 'must sign this request with its key, because keys, secrets and uploads are not for browsers';
    throw new F3Error('F3_AUTH_FORBIDDEN', `member ${owner}: ${rule}, got a session`);
  }
  if (isReadOnly && config.isQuestion) return;
  if ((role !== 'owner' && !isReadOnly) || method === 'GET' || method === 'HEAD' || config.isOwnSession) return;
  throw new F3Error('F3_AUTH_FORBIDDEN', `member ${owner}: this session must only read, got ${method}`);
}

async function knownMember(directory: Directory, keyId: string): Promise<MemberRow> {
  const member = await directory.member(keyId);
  if (member) return member;
  throw unknownKey();
}

const unknownKey = () =>
  new F3Error('F3_AUTH_UNKNOWN', 'request token: must be signed with a key that has joined, got an unknown key');

/** Its message names the member, so it is called after the signature was checked. */
function requireValid(member: MemberRow): MemberRow {
  if (member.revoked) {
    throw new F3Error('F3_AUTH_REVOKED', `member ${member.owner}: must not be revoked, got a revoked key`);
  }
  if (member.keyEnds && member.keyEnds <= new Date()) {
    const found = `one that was accepted until ${member.keyEnds.toISOString()}`;
    throw new F3Error('F3_AUTH_REVOKED', `member ${member.owner}: must sign with its current key, got ${found}`);
  }
  return member;
}

const isPublic = ({ routeOptions: { config, url } }: FastifyRequest): boolean =>
  config.allow === 'public' || url === undefined;

function tokenOf({ headers: { authorization = '' } }: FastifyRequest): string {
  const [scheme, token = ''] = authorization.split(' ');
  if (scheme.toLowerCase() === 'bearer' && token !== '') return token;
  throw new F3Error('F3_AUTH_TOKEN', 'token: must come as Authorization: Bearer, got none');
}

/** The federation that a request is about, if its route has one. */
const placeOf = (request: FastifyRequest): string | undefined =>
  (request.params as { federation?: string } | undefined)?.federation;

/** Called before the token is looked up, so that other routes do not reveal whether a token exists. */
function requireInferenceRoute(request: FastifyRequest): void {
  if (request.routeOptions.config.allowsInferenceTokens) return;
  throw new F3Error('F3_AUTH_FORBIDDEN', 'inference token: may predict and read what the model takes, nothing else');
}

/** Members act in their own federation and in their own role. The server's operator acts in all federations. */
function checkPlace(request: FastifyRequest, { federation, owner, role }: MemberRow): void {
  const { allow, hasNoPlace } = request.routeOptions.config;
  const isServerOperator = role === 'operator' && federation === null;
  const place = placeOf(request);
  const isAllowed = Array.isArray(allow) && allow.includes(role);
  if (isAllowed && (isServerOperator || hasNoPlace || (place !== undefined && place === federation))) return;
  throw new F3Error('F3_AUTH_FORBIDDEN', `member ${owner}: must be allowed to do this, got role ${role}`);
}
