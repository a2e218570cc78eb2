// [coordinator] Tables of the dashboard's sessions.
import type { Selectable } from 'kysely';
import type { Optional, Stamp } from './column-kinds.ts';

/** One-time codes that open a session. Only their hash is kept: reading this table lets nobody in. */
export interface SessionCodesTable {
  /** SHA-256 of the code, hexadecimal. */
  hash: string;
  /** Id of the member whose session it opens. */
  member: string;
  /** The key that asked for it. When that key ends, so does the session. */
  keyId: string;
  expires: Date;
}

/** Sessions of browsers, each of a member and of its role. */
export interface SessionsTable {
  id: string;
  /** SHA-256 of the cookie's value, hexadecimal. */
  hash: string;
  member: string;
  keyId: string;
  /** The address that it was opened from. */
  address: Optional<string>;
  opened: Stamp;
  /** To the minute. */
  lastUsed: Date;
  /** When it ends, however much it is used. */
  expires: Date;
  /** When somebody ended it. */
  ended: Optional<Date>;
}

export type SessionRow = Selectable<SessionsTable>;
