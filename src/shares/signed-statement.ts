// [owner] [entity] [coordinator] A statement that its author signed: a compact JWS (RFC 7515, EdDSA) that carries the author's public key.
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { F3Error } from '../errors.ts';
import { type KeyPair, readPublicKey } from '../exchange/identity/key-pair.ts';

/** The longest statement that is read: commitments of thirteen entities need far less. */
const MOST_CHARACTERS = 8192;

/** `type` says what is stated, so that no statement passes for another kind. */
export function signStatement({ privateKey, publicKey }: KeyPair, type: string, facts: object): string {
  const text = `${base64url({ alg: 'EdDSA', typ: type, jwk: publicKey })}.${base64url(facts)}`;
  const key = createPrivateKey({ key: { ...privateKey }, format: 'jwk' });
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
}

/** The facts that the holder of the key `keyId` signed as `type`. */
export async function readStatement(statement: string, type: string, keyId: string): Promise<unknown> {
  const parts = statement.length <= MOST_CHARACTERS ? statement.split('.') : [];
  const header = (parse(parts[0]) ?? {}) as Record<string, unknown>;
  const author = await readPublicKey(header.jwk).catch(() => undefined);
  const isOurs = parts.length === 3 && header.alg === 'EdDSA' && header.typ === type && header.crit === undefined;
  if (!isOurs || !author) {
    throw new F3Error('F3_SHARES_SIGNATURE', `statement: must be a signed ${type}, got something else`);
  }
  if (author.id !== keyId) {
    throw new F3Error('F3_SHARES_SIGNATURE', `${type}: must be signed by the key ${keyId}, got ${author.id}`);
  }
  const key = createPublicKey({ key: { ...author.publicKey }, format: 'jwk' });
  const signed = Buffer.from(`${parts[0]}.${parts[1]}`);
  if (verify(null, signed, key, Buffer.from(parts[2], 'base64url'))) return parse(parts[1]);
  throw new F3Error('F3_SHARES_SIGNATURE', `${type}: must be as the key ${keyId} signed it, got a changed one`);
}

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function parse(part: string | undefined): unknown {
  try {
    return JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
