// [coordinator] Tables of the audit logs, of their chains and of the heads that were signed.
import type { ColumnType, GeneratedAlways, JSONColumnType, Selectable } from 'kysely';
import type { JsonObject, Stamp } from './column-kinds.ts';

/** The log of who did what when. Triggers forbid changing and deleting. Entries have names, because they outlive what they name. */
export interface AuditTable {
  id: GeneratedAlways<number>;
  /** To the millisecond. */
  at: Stamp;
  federation: string | null;
  /** Name of the member, or of the part of f3 that acted by itself. */
  actor: string;
  action: string;
  details: JSONColumnType<JsonObject>;
  /** Thumbprint of the key that asked, or id of the inference token. */
  keyId: string | null;
  address: string | null;
  /** The entry's place in the log of its federation, from 1. */
  number: number;
  /** The chain's hash after this entry. */
  hash: string;
}

/** The end of each log's chain. Whoever appends holds the row, so that no chain forks. */
export interface AuditChainsTable {
  /** Name of the federation; empty for the server's own log. */
  chain: string;
  count: number;
  hash: string;
  /** Count of the newest signed head. */
  sealed: ColumnType<number, number | undefined, number>;
}

/** Signed heads of the logs. Triggers forbid changing and deleting. */
export interface AuditHeadsTable {
  chain: string;
  count: number;
  hash: string;
  at: Date;
  keyId: string;
  signature: string;
}

/** Public keys that coordinators have signed heads with. */
export interface AuditKeysTable {
  keyId: string;
  publicKey: JSONColumnType<JsonObject>;
  since: Stamp;
}

export type AuditRow = Selectable<AuditTable>;

export type AuditHeadRow = Selectable<AuditHeadsTable>;

export type AuditKeyRow = Selectable<AuditKeysTable>;
