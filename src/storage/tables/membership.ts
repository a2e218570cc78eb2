// [coordinator] Tables of federations, of their members, and of all that lets somebody in.
import type { ColumnType, JSONColumnType, Selectable } from 'kysely';
import type { Role } from '../../exchange/messages.ts';
import type { JsonObject, Optional, OptionalJson, Stamp } from './column-kinds.ts';

/** A group of owners that learn together, named for good. */
export interface FederationsTable {
  name: string;
  /** Names of the classes to tell apart, where the operator fixed them. */
  classes: OptionalJson<string[]>;
  /** Version of the model that predicts. */
  activeModel: Optional<number>;
  created: Stamp;
}

/**
 * Whoever has a key: owners and label holders in one federation each, operators in none. A revoked member stays, so that
 * its key never comes back and the audit log keeps its meaning; the name may then be invited anew.
 */
export interface MembersTable {
  id: string;
  federation: string | null;
  /** The owner id, which names label holders and operators too. A federation has one unrevoked member of a name. */
  owner: string;
  role: Role;
  /** Thumbprint of the public key, unique over all federations. */
  keyId: string;
  /** The key as JWK. */
  publicKey: JSONColumnType<JsonObject>;
  joined: Stamp;
  revoked: Optional<Date>;
  /** Where an owner is, in degrees, if it has told so. */
  latitude: Optional<number>;
  longitude: Optional<number>;
}

/** Keys that members have replaced. None of them is ever enrolled again. */
export interface FormerKeysTable {
  keyId: string;
  member: string;
  publicKey: JSONColumnType<JsonObject>;
  replaced: Stamp;
  /** Until when it is accepted. */
  ends: Date;
  /** When its member said that it may be in other hands: it was revoked, or replaced without any time left to it. */
  revoked: Optional<Date>;
}

/** One-time enrolment codes. Only their hash is kept: reading this table lets nobody in. */
export interface InvitationsTable {
  /** SHA-256 of the code, hexadecimal. */
  codeHash: string;
  federation: string;
  owner: string;
  role: Role;
  created: Stamp;
  expires: Date;
  /** Id of the member who redeemed it. */
  member: Optional<string>;
  /** The id by which people name it. */
  id: ColumnType<string, never, never>;
  cancelled: Optional<Date>;
}

/** Static tokens that may predict in one federation. Only their hash is kept: reading this table lets nobody predict. */
export interface InferenceTokensTable {
  id: string;
  federation: string;
  /** Its name. A federation has one unrevoked token of a name. */
  name: string;
  /** SHA-256 of the secret, hexadecimal. */
  hash: string;
  created: Stamp;
  /** Name of the member who made it. */
  createdBy: string;
  expires: Optional<Date>;
  revoked: Optional<Date>;
  /** When it was last used, to the minute. */
  lastUsed: Optional<Date>;
}

/** What a request with a key created, remembered for a while, so that a request that is sent again finds it. */
export interface CreationsTable {
  member: string;
  key: string;
  /** Hash of method, path and body. */
  request: string;
  subject: ColumnType<string, string | undefined, string>;
  created: Stamp;
}

/** Request tokens that were used, until they expire by themselves. */
export interface UsedTokensTable {
  jti: string;
  expires: Date;
}

/** One row, whose number triggers raise in the transaction that changes a member or a federation. */
export interface RevisionTable {
  number: ColumnType<number, never, never>;
}

/** One row: times that only ever rise, so that a clock that goes back brings no used token back to life. */
export interface ClockTable {
  /** No token that was issued after this time has been accepted, save those in `early_tokens`. */
  mark: ColumnType<Date, never, Date>;
  /** Tokens that expire up to this time may be forgotten, and are refused. */
  forgotten: ColumnType<Date, never, Date>;
}

export type FederationRow = Selectable<FederationsTable>;

export type MemberRow = Selectable<MembersTable> & {
  /** Where the key is a former one: until when it is accepted. */
  keyEnds?: Date;
};

export type FormerKeyRow = Selectable<FormerKeysTable>;

export type InvitationRow = Selectable<InvitationsTable>;

export type InferenceTokenRow = Selectable<InferenceTokensTable>;
