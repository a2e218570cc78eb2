// [wire] The hash chain of an audit log: h_0 = SHA-256(what log it is), h_n = SHA-256(h_{n-1} ⏎ n ⏎ SHA-256(entry_n)).
import { canonicalJson } from '../../base/canonical-json.ts';
import { sha256 } from '../../base/sha256.ts';

/** What is hashed of an entry. */
export interface AuditContent {
  /** ISO 8601, to the millisecond. */
  at: string;
  /** The federation that is concerned; null for the server's own log. */
  federation: string | null;
  /** Name of the member, or of the part of f3 that acted by itself. */
  actor: string;
  action: string;
  details: Record<string, unknown>;
  /** Thumbprint of the key that asked, where somebody did. */
  keyId: string | null;
  /** Address that the request came from. */
  address: string | null;
}

/** The hash before the first entry. */
export const genesisHash = (federation: string | null): string =>
  sha256(federation === null ? 'f3 audit log of the server' : `f3 audit log of federation ${federation}`);

/** The hash of an entry's canonical JSON. */
export const entryDigest = ({ at, federation, actor, action, details, keyId, address }: AuditContent): string =>
  sha256(canonicalJson({ at, federation, actor, action, details, keyId, address }));

/** `number` counts from 1. */
export const chainHash = (before: string, number: number, digest: string): string =>
  sha256(`${before}\n${number}\n${digest}`);
