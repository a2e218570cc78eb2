// [entity] [coordinator] How parties reach each other: whole messages under a tag, in whatever way bytes travel.

/** Number of the coordinator among the parties; entities are numbered from 1. */
export const COORDINATOR = 0;

/**
 * What one party uses to speak with the others. Between any two parties each tag is used once in each direction, so that
 * a message cannot be taken for another; messages may overtake each other.
 */
export interface Transport {
  /** Number of this party: 0 for the coordinator, else the entity's. */
  readonly party: number;
  /** Sends a message. The bytes are the transport's from here on. It does not wait for the other to read it. */
  send(to: number, tag: string, bytes: Uint8Array<ArrayBuffer>): void;
  /** The message that `from` sent under `tag`, when it has arrived. Rejects with F3_SHARES_AWAY if that party is gone. */
  receive(from: number, tag: string): Promise<Uint8Array>;
}
