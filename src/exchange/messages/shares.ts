// [wire] A federation on shares: its charter, its entities and what was opened, as the coordinator tells it.
import type { AnswerObject } from './answer-object.ts';

/** Entities that hold shares, and how many of them together learn nothing. */
export interface NewShares {
  /** tls://host:port#key-id of each, as `f3 entity init` prints it. */
  entities: readonly string[];
  /** Default: as many as can be, one of three. */
  threshold?: number | undefined;
}

/** An entity, as it stood when it was asked. */
export interface ListedEntity extends AnswerObject {
  entity: number;
  url: string;
  keyId: string;
  /** `ready`, or what is wrong. */
  state: string;
  detail?: string;
  /** Bundles of which it holds a share. */
  shares: number;
}

/** Numbers of one kind that were opened, over all trainings and predictions. */
export interface ListedOpening extends AnswerObject {
  what: string;
  /** Who learned them: all entities, masked, or the coordinator. */
  to: 'entities' | 'coordinator';
  meaning: string;
  openings: number;
  count: number;
  /** Fewest bits of masking; none where the coordinator learns the value. */
  maskBits?: number;
}

/** GET /v1/federations/:f/shares */
export interface FederationShares extends AnswerObject {
  /** 64 digits that stand for the charter. Whoever shows it must not be the only one who is asked whether it is right. */
  fingerprint: string;
  /** Federation, threshold, coordinator, entities. */
  charter: AnswerObject;
  /** For an owner: its shared bundles that are kept. */
  bundles?: { version: number; root: string; width?: number }[];
  /** For an owner: the least number of its next bundle. */
  next?: number;
  /** For an owner: bytes of shares, at all entities together, that its quota leaves. */
  room?: number;
  /** For an owner: the coordinator's word to the entities that its key is that of an owner, good for an hour. */
  admission?: string;
  /** For an operator who asks to check. */
  entities?: ListedEntity[];
  /** For an operator who asks to check. */
  ledger?: ListedOpening[];
}
