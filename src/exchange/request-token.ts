// [wire] A request's token: an EdDSA JWS (RFC 7515, 8037) bound to method, path and body, good for a minute.
import { createHash, randomBytes } from 'node:crypto';
import { compactVerify, decodeProtectedHeader, errors, type JWK, SignJWT } from 'jose';
import { F3Error } from '../errors.ts';
import type { KeyPair } from './key-pair.ts';

const TYPE = 'f3-request+jwt';
/** Seconds from signing to expiry. */
export const TOKEN_SECONDS = 60;
/** How far the signer's clock may be ahead of the verifier's. */
const SKEW_SECONDS = 30;
/** Far above what a token needs; parsing ends here. */
const LONGEST = 4096;

export interface SignedRequest {
  method: string;
  /** With its query, exactly as sent. */
  path: string;
  body: Uint8Array;
}

export interface ReceivedRequest {
  method: string;
  path: string;
  /** `bodyHash` of the bytes that came. */
  bodyHash: string;
}

/** What the verifier has to remember so that a token is good once. Seconds since 1970. */
export interface TokenUse {
  jti: string;
  iat: number;
  exp: number;
}

/** base64url of a SHA-256, over no bytes at all when a request has no body. */
export const bodyHash = (body: Uint8Array): string => createHash('sha256').update(body).digest('base64url');

export function signRequest(pair: KeyPair, { method, path, body }: SignedRequest, now = new Date()): Promise<string> {
  const iat = Math.floor(now.getTime() / 1000);
  const jti = randomBytes(16).toString('base64url');
  const claims = { htm: method, htu: path, bsh: bodyHash(body), iat, exp: iat + TOKEN_SECONDS, jti };
  return new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', typ: TYPE, kid: pair.id }).sign(pair.privateKey);
}

/** That the token was not used before is the caller's to check. */
export async function verifyRequest(
  token: string,
  publicKey: JWK,
  { method, path, bodyHash: hash }: ReceivedRequest,
  now = new Date(),
): Promise<TokenUse> {
  readKeyId(token);
  const { htm, htu, bsh, iat, exp, jti } = readClaims(await verifiedPayload(token, publicKey));
  if (htm !== method) throw refusal(`must be for ${method}, got one for ${htm}`, 'F3_AUTH_TAMPERED');
  if (htu !== path) throw refusal(`must be for the path ${path}, got one for ${htu}`, 'F3_AUTH_TAMPERED');
  if (bsh !== hash) throw refusal('must be for the body that came, got one for another body', 'F3_AUTH_TAMPERED');
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
  return { jti, iat, exp };
}

/** The key a token claims to be signed with, to find it. Proves nothing. */
export function readKeyId(token: string): string {
  const [, , signature, ...rest] = token.length <= LONGEST ? token.split('.') : [];
  // The last digit of a signature has spare bits; a token is one text only, so they must be zero.
  const isWhole = signature && rest.length === 0 && canonical(signature) === signature;
  const { typ, alg, kid } = isWhole ? readHeader(token) : {};
  if (typ === TYPE && alg === 'EdDSA' && typeof kid === 'string' && /^[\w-]{43}$/.test(kid)) return kid;
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

async function verifiedPayload(token: string, publicKey: JWK): Promise<Uint8Array> {
  try {
    return (await compactVerify(token, publicKey, { algorithms: ['EdDSA'] })).payload;
  } catch (cause) {
    const isForged = cause instanceof errors.JWSSignatureVerificationFailed;
    throw refusal(
      isForged ? 'must be signed with the key it names, got another signature' : 'must be a sound JWS, got none',
      'F3_AUTH_TOKEN',
      cause,
    );
  }
}

function readClaims(payload: Uint8Array): Claims {
  const claims = parse(payload);
  const areTexts = ['htm', 'htu', 'bsh', 'jti'].every((name) => typeof claims[name] === 'string');
  const areTimes = ['iat', 'exp'].every((name) => Number.isSafeInteger(claims[name]));
  if (areTexts && areTimes && /^[\w-]{22}$/.test(claims.jti as string)) return claims as unknown as Claims;
  throw refusal('must have the claims htm, htu, bsh, iat, exp and jti, got others');
}

function parse(payload: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(payload).toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

const canonical = (text: string): string => Buffer.from(text, 'base64url').toString('base64url');

type Refusal = 'F3_AUTH_TOKEN' | 'F3_AUTH_TAMPERED' | 'F3_AUTH_EXPIRED';

const refusal = (rule: string, code: Refusal = 'F3_AUTH_TOKEN', cause?: unknown): F3Error =>
  new F3Error(code, `request token: ${rule}`, { cause });
