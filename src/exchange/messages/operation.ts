// [wire] What operators run a coordinator with: inference tokens, audit entries, backups.
import type { AnswerObject } from './answer-object.ts';

/** The answer to POST /v1/federations/:f/tokens. */
export interface IssuedToken {
  id: string;
  name: string;
  /** The secret, which is told this once. */
  token: string;
  /** When it ends (ISO 8601), or null for never. */
  expires: string | null;
}

/** An inference token, without its secret. */
export interface ListedToken {
  id: string;
  name: string;
  /** When it was made (ISO 8601). */
  created: string;
  /** Name of the operator who made it. */
  createdBy: string;
  /** When it ends (ISO 8601), or null for never. */
  expires: string | null;
  expired: boolean;
  /** When it was used last (ISO 8601, to the minute), or null for never. */
  lastUsed: string | null;
}

/** An entry of a federation's audit log: who did what, and when. */
export interface AuditEntry extends AnswerObject {
  /** Its number; they rise. */
  id: number;
  at?: string;
  /** Name of the member, or of the part of f3 that acted by itself. */
  actor?: string;
  /** What was done. */
  action?: string;
  /** What it was done to or with. */
  details?: Record<string, unknown>;
  /** Thumbprint of the key that asked, or id of the inference token. */
  keyId?: string | null;
  /** Address that the request came from. */
  address?: string | null;
  /** Its place in this log, from 1. */
  number?: number;
  /** The chain's hash after it. */
  hash?: string;
}

/** A backup that a coordinator wrote into its own folder. */
export interface MadeBackup {
  /** Its path on the coordinator's machine. */
  file: string;
  /** How many bytes it has. */
  bytes: number;
  /** The hash that stands at its end, of all before it. */
  sha256: string;
}
