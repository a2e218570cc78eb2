// [wire] A signed head: so many entries with this hash at this time, by the coordinator's own key. Whoever keeps one can prove it.
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import type { JWK } from 'jose';
import { canonicalJson } from '../../base/canonical-json.ts';
import type { KeyPair } from '../identity/key-pair.ts';

/** How far an audit log had come at a moment. */
export interface UnsignedHead {
  /** The federation; null for the server's own log. */
  federation: string | null;
  /** How many entries the log has. */
  count: number;
  /** The chain's hash after the last of them. */
  hash: string;
  /** When it was signed (ISO 8601). */
  at: string;
}

/** A head with its Ed25519 signature. */
export interface AuditHead extends UnsignedHead {
  /** Thumbprint of the key that signed it. */
  keyId: string;
  /** base64url, over the canonical JSON of the rest. */
  signature: string;
}

const signedBytes = ({ federation, count, hash, at }: UnsignedHead, keyId: string): Buffer =>
  Buffer.from(`f3-audit-head\n${canonicalJson({ federation, count, hash, at, keyId })}`);

/** Signs a head with the coordinator's key. */
export function signHead({ privateKey, id }: KeyPair, head: UnsignedHead): AuditHead {
  const key = createPrivateKey({ key: { ...privateKey }, format: 'jwk' });
  return { ...head, keyId: id, signature: sign(null, signedBytes(head, id), key).toString('base64url') };
}

/** Whether the key has signed this head. */
export function isSignedHead(publicKey: JWK, head: AuditHead): boolean {
  const key = createPublicKey({ key: { ...publicKey }, format: 'jwk' });
  return verify(null, signedBytes(head, head.keyId), key, Buffer.from(head.signature, 'base64url'));
}
