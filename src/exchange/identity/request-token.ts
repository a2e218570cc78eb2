// [wire] A request's token: an EdDSA JWS (RFC 7515, 8037) bound to method, path and body, good for a minute.
import { createHash, createPublicKey, type KeyObject, randomBytes, verify } from 'node:crypto';
import { decodeProtectedHeader, type JWK, SignJWT } from 'jose';
import { F3Error } from '../../errors.ts';
import type { KeyPair } from './key-pair.ts';

const TYPE = 'f3-request+jwt';
/** Seconds from signing to expiry. */
export const TOKEN_SECONDS = 60;
/** How far the signer's clock may be ahead of the verifier's. */
const SKEW_SECONDS = 30;
/** The most characters of a token. A real one needs far fewer; longer ones are not parsed. */
const MAX_LENGTH = 4096;

/** What a token is bound to. */
export interface SignedRequest {
  /** The HTTP method. */
  method: string;
  /** The path with its query, exactly as sent. */
  path: string;
  /** The body as sent; empty where there is none. */
  body: Uint8Array;
}

/** What is known of a request before its body has come. */
export interface RequestHead {
  method: string;
  path: string;
}

export interface ReceivedRequest extends RequestHead {
  /** The `bodyHash` of the bytes that came. */
  bodyHash: string;
}

/** What the verifier has to remember so that a token is good once. Times are seconds since 1970. */
export interface TokenUse {
  jti: string;
  iat: number;
  exp: number;
}

/** A token whose signature, method, path and time are right. Its body has yet to come. */
export interface VerifiedToken extends TokenUse {
  /** The `bodyHash` of the body that was signed. */
  bodyHash: string;
}

/** The base64url of a SHA-256, over no bytes at all when a request has no body. */
export const bodyHash = (body: Uint8Array): string => createHash('sha256').update(body).digest('base64url');

/** A token for this request and no other, good once and for a short time. */
export function signRequest(pair: KeyPair, { method, path, body }: SignedRequest, now = new Date()): Promise<string> {
  const iat = Math.floor(now.getTime() / 1000);
  const jti = randomBytes(16).toString('base64url');
  const claims = { htm: method, htu: path, bsh: bodyHash(body), iat, exp: iat + TOKEN_SECONDS, jti };
  return new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', typ: TYPE, kid: pair.id }).sign(pair.privateKey);
}

/** The caller has to check that the token was not used before. */
export async function verifyRequest(
  token: string,
  publicKey: JWK,
  received: ReceivedRequest,
  now = new Date(),
): Promise<TokenUse> {
  const { bodyHash: signed, ...use } = await verifyToken(token, publicKey, received, now);
  requireSignedBody(signed, received.bodyHash);
  return use;
}

/** Throws unless the body that came is the one that was signed. */
export function requireSignedBody(signed: string, received: string): void {
  if (signed !== received)
    throw refusal('must be for the body that came, got one for another body', 'F3_AUTH_TAMPERED');
}

/** Checks all of a token that can be checked before the body has come. */
export async function verifyToken(
  token: string,
  publicKey: JWK,
  { method, path }: RequestHead,
  now = new Date(),
): Promise<VerifiedToken> {
  readKeyId(token); // refuses what is malformed
  const { htm, htu, bsh, iat, exp, jti } = readClaims(verifiedPayload(token, keyObject(publicKey)));
  if (htm !== method) throw refusal(`must be for ${method}, got one for ${htm}`, 'F3_AUTH_TAMPERED');
  if (htu !== path) throw refusal(`must be for the path ${path}, got one for ${htu}`, 'F3_AUTH_TAMPERED');
  const seconds = now.getTime() / 1000;
  if (exp <= iat || exp - iat > TOKEN_SECONDS)
    throw refusal(`must live for up to ${TOKEN_SECONDS} s, got ${exp - iat}`);
  if (iat > seconds + SKEW_SECONDS) {
    const found = `${Math.ceil(iat - seconds)} s ahead: compare the clocks`;
    throw refusal(`must not be from the future, got ${found}`, 'F3_AUTH_EXPIRED');
  }
  if (seconds >= exp) {
    const found = `${Math.ceil(seconds - exp)} s late: compare the clocks`;
    throw refusal(`must not have expired, got ${found}`, 'F3_AUTH_EXPIRED');
  }
  return { jti, iat, exp, bodyHash: bsh };
}

/** The id of the key that a token claims to be signed with, to find that key. It proves nothing. */
export function readKeyId(token: string): string {
  const [, , signature, ...rest] = token.length <= MAX_LENGTH ? token.split('.') : [];
  // The last digit of a signature has spare bits; a token is one text only, so they must be zero.
  const isWhole = signature && rest.length === 0 && canonical(signature) === signature;
  const { typ, alg, kid, crit } = isWhole ? readHeader(token) : {};
  // `crit` names what a reader must understand, and nothing is known here.
  const isOurs = typ === TYPE && alg === 'EdDSA' && crit === undefined;
  if (isOurs && typeof kid === 'string' && /^[\w-]{43}$/.test(kid)) return kid;
  throw refusal('must be a signed f3 request token, got a malformed one');
}

interface Claims extends TokenUse {
  htm: string;
  htu: string;
  bsh: string;
}

function readHeader(token: string): ReturnType<typeof decodeProtectedHeader> {
  try {
    return decodeProtectedHeader(token);
  } catch {
    return {};
  }
}

/** Keys by their digits. They are kept because making one ready takes longer than using it. */
const keyObjects = new Map<string, KeyObject>();

function keyObject(publicKey: JWK): KeyObject {
  const name = String(publicKey.x);
  const known = keyObjects.get(name) ?? createPublicKey({ key: { ...publicKey }, format: 'jwk' });
  keyObjects.set(name, known);
  return known;
}

/** Node checks the signature, not jose: jose hands each token to another thread, and waking that costs as much as the check. */
function verifiedPayload(token: string, key: KeyObject): Buffer {
  const end = token.lastIndexOf('.');
  const signature = Buffer.from(token.slice(end + 1), 'base64url');
  if (verify(null, Buffer.from(token.slice(0, end)), key, signature)) {
    return Buffer.from(token.slice(token.indexOf('.') + 1, end), 'base64url');
  }
  // The same words serve for a key that nobody knows, so that a signature without the key learns nothing about its holder.
  throw refusal(
    'must be signed with a key that has joined, got another signature or an unknown key',
    'F3_AUTH_UNKNOWN',
  );
}

function readClaims(payload: Buffer): Claims {
  const claims = parse(payload);
  const areTexts = ['htm', 'htu', 'bsh', 'jti'].every((name) => typeof claims[name] === 'string');
  const areTimes = ['iat', 'exp'].every((name) => Number.isSafeInteger(claims[name]));
  if (areTexts && areTimes && /^[\w-]{22}$/.test(claims.jti as string)) return claims as unknown as Claims;
  throw refusal('must have the claims htm, htu, bsh, iat, exp and jti, got others');
}

function parse(payload: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(payload.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

const canonical = (text: string): string => Buffer.from(text, 'base64url').toString('base64url');

type Refusal = 'F3_AUTH_TOKEN' | 'F3_AUTH_UNKNOWN' | 'F3_AUTH_TAMPERED' | 'F3_AUTH_EXPIRED';

const refusal = (rule: string, code: Refusal = 'F3_AUTH_TOKEN'): F3Error => new F3Error(code, `request token: ${rule}`);
