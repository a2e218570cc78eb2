// [entity] [coordinator] Parties within one thread: messages are handed over, counted by link, and can be watched.
import { Mailbox } from './mailbox.ts';
import type { Transport } from './transport.ts';

/** A message on its way, for whoever watches. */
export interface SentMessage {
  from: number;
  to: number;
  tag: string;
  bytes: Uint8Array;
}

/** Connects the coordinator (0) and entities 1 … m within one thread. */
export class LocalNetwork {
  readonly #mailboxes: Mailbox[];
  readonly #watch: ((message: SentMessage) => void) | undefined;
  /** Bytes by link, `from to`. */
  readonly bytes = new Map<string, number>();

  constructor(entities: number, watch?: (message: SentMessage) => void) {
    this.#mailboxes = Array.from({ length: entities + 1 }, () => new Mailbox());
    this.#watch = watch;
  }

  transport(party: number): Transport {
    return {
      party,
      send: (to, tag, bytes) => {
        const link = `${party} ${to}`;
        this.bytes.set(link, (this.bytes.get(link) ?? 0) + bytes.length);
        this.#watch?.({ from: party, to, tag, bytes });
        this.#mailboxes[to].deliver(party, tag, bytes);
      },
      receive: (from, tag) => this.#mailboxes[party].take(from, tag),
    };
  }

  /** The party answers no more. */
  stop(party: number, reason = 'it was stopped'): void {
    for (const [other, mailbox] of this.#mailboxes.entries()) if (other !== party) mailbox.lose(party, reason);
  }
}
