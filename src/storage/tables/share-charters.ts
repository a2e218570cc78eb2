// [coordinator] Tables of federations whose embeddings lie in shares with entities.
import type { ColumnType, JSONColumnType, Selectable } from 'kysely';
import type { JsonObject, Stamp } from './column-kinds.ts';

/** The charter of a federation on shares, which never changes. A federation without one keeps embeddings here. */
export interface ShareChartersTable {
  federation: string;
  fingerprint: string;
  charter: JSONColumnType<JsonObject>;
  /** The coordinator's private key towards the entities of this charter, as JWK. */
  key: JSONColumnType<JsonObject>;
  created: Stamp;
}

/** What an entity has shown when it was last asked. */
export interface ShareEntitiesTable {
  federation: string;
  entity: number;
  /** The highest number of changes that its store has shown. */
  epoch: number;
  /** Every opening that it has taken part in, added up. */
  ledger: JSONColumnType<JsonObject[]>;
  seen: ColumnType<Date, Date, Date>;
}

export type ShareCharterRow = Selectable<ShareChartersTable>;
export type ShareEntityRow = Selectable<ShareEntitiesTable>;
