// [wire] An Ed25519 key pair. Its private half is made on the machine that uses it and never leaves it.
import { createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { readBytes } from '../../base/read-file.ts';
import { unwritable } from '../../base/unwritable.ts';
import { F3Error } from '../../errors.ts';

/** An Ed25519 key, with which a member signs its requests. */
export interface KeyPair {
  /** The half that never leaves the machine. */
  privateKey: JWK;
  /** The half that the coordinator knows. */
  publicKey: JWK;
  /** The public key's thumbprint (RFC 7638): base64url of a SHA-256. */
  id: string;
}

/** Makes a new Ed25519 key. */
export async function createKeyPair(): Promise<KeyPair> {
  const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  return pairOf(await exportJWK(privateKey));
}

/** Writes one JWK that only its owner may read: whole or not at all, and never in the place of another key. */
export function saveKeyPair(file: string, { privateKey, id }: KeyPair): void {
  const temporary = join(dirname(resolve(file)), `.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const opened = openSync(temporary, 'wx', 0o600);
    try {
      writeSync(opened, `${JSON.stringify({ ...privateKey, kid: id }, null, 2)}\n`);
      fsyncSync(opened);
    } finally {
      closeSync(opened);
    }
    linkSync(temporary, file); // unlike a rename, a link does not replace what is there
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(`key ${file}`, cause, 'F3_KEY');
    const rule = 'must not exist, got a file that might be the only copy of a key';
    throw new F3Error('F3_KEY', `key ${file}: ${rule}`, { cause });
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** Reads a key. A file that others may read is refused. */
export async function loadKeyPair(file: string): Promise<KeyPair> {
  const text = (await readBytes(file, `key ${file}`, 'F3_KEY')).toString('utf8');
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    const mode = (statSync(file).mode & 0o777).toString(8);
    throw new F3Error('F3_KEY', `key ${file}: must be readable by its owner only (chmod 600), got mode ${mode}`);
  }
  try {
    const jwk = JSON.parse(text) as JWK;
    createPrivateKey({ key: { ...jwk }, format: 'jwk' });
    const { kty, crv, d } = jwk;
    const pair = await pairOf({ kty, crv, d } as JWK);
    if (pair.publicKey.x === jwk.x && (jwk.kid ?? pair.id) === pair.id) return pair;
  } catch {
    // One message stands for what is no JSON, no key, or the halves of two keys.
  }
  throw new F3Error('F3_KEY', `key ${file}: must be an Ed25519 private key as JWK, got something else`);
}

/** Throws for anything but an Ed25519 public key; extra members are dropped. */
export async function readPublicKey(jwk: unknown): Promise<{ publicKey: JWK; id: string }> {
  const { kty, crv, x } = (typeof jwk === 'object' && jwk !== null ? jwk : {}) as Record<string, unknown>;
  const isKey = kty === 'OKP' && crv === 'Ed25519' && typeof x === 'string' && /^[\w-]{43}$/.test(x);
  if (!isKey || Buffer.from(x, 'base64url').toString('base64url') !== x) {
    throw new F3Error('F3_KEY', 'public key: must be an Ed25519 key as JWK {kty, crv, x}, got something else');
  }
  const publicKey: JWK = { kty, crv, x };
  return { publicKey, id: await calculateJwkThumbprint(publicKey, 'sha256') };
}

/** The public half is computed from the private one, not believed. */
async function pairOf({ d }: JWK): Promise<KeyPair> {
  const seed = Buffer.from(d ?? '', 'base64url');
  // PKCS #8 of an Ed25519 key is these bytes and the seed (RFC 8410).
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]);
  const { x } = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })).export({ format: 'jwk' });
  const { publicKey, id } = await readPublicKey({ kty: 'OKP', crv: 'Ed25519', x });
  return { privateKey: { ...publicKey, d: seed.toString('base64url') }, publicKey, id };
}
