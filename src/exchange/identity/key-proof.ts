// [wire] The proof that whoever offers a new key has its private half: its signature (Ed25519) over the ids of both keys.
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import type { JWK } from 'jose';
import { F3Error } from '../../errors.ts';
import type { KeyPair } from './key-pair.ts';

/** `before`: id of the key that is replaced. */
export function proveKey(pair: KeyPair, before: string): string {
  const key = createPrivateKey({ key: { ...pair.privateKey }, format: 'jwk' });
  return sign(null, textOf(before, pair.id), key).toString('base64url');
}

export function requireKeyProof(
  proof: string,
  { publicKey, id }: { publicKey: JWK; id: string },
  before: string,
): void {
  const key = createPublicKey({ key: { ...publicKey }, format: 'jwk' });
  if (verify(null, textOf(before, id), key, Buffer.from(proof, 'base64url'))) return;
  throw new F3Error('F3_KEY', 'proof: must be the signature of the new key over both key ids, got another');
}

/** The first line keeps the signature from being taken for one of anything else. */
const textOf = (before: string, after: string): Buffer => Buffer.from(`f3-key-rotation\n${before}\n${after}`);
