// [entity] [coordinator] A transport over lines: messages of one conversation, bounded in memory, late answers counted as absence.
import { F3Error } from '../../errors.ts';
import { Mailbox } from '../mailbox.ts';
import { COORDINATOR, type Transport } from '../transport.ts';
import type { Link } from './link.ts';

/** Bytes that may lie here before somebody asks for them. */
const MOST_UNREAD = 1024 * 1024 * 1024;
/** Milliseconds that an entity may take for its part of a step. */
export const PATIENCE_MS = 120_000;

/** One party's end of a conversation with the others. */
export class Conversation implements Transport {
  readonly party: number;
  readonly id: string;
  readonly #patience: number;
  readonly #mailbox = new Mailbox();
  readonly #links = new Map<number, Link>();
  #unread = 0;

  constructor(party: number, id: string, patience: number = PATIENCE_MS) {
    this.party = party;
    this.id = id;
    this.#patience = patience;
  }

  /** From now on messages to this party go over this line. */
  use(to: number, link: Link): void {
    this.#links.set(to, link);
  }

  /** Whether messages to this party go over this line. */
  uses(to: number, link: Link): boolean {
    return this.#links.get(to) === link;
  }

  send(to: number, tag: string, bytes: Uint8Array<ArrayBuffer>): void {
    const link = this.#links.get(to);
    if (!link) throw new F3Error('F3_SHARES_AWAY', `${nameOf(to)}: must be in the conversation, but is not`);
    link.send(this.id, tag, bytes);
  }

  /** Waits for the coordinator as long as the line stands, for an entity no longer than it is patient. */
  async receive(from: number, tag: string): Promise<Uint8Array> {
    let overdue: NodeJS.Timeout | undefined;
    if (from !== COORDINATOR) {
      const reason = `it has sent no "${tag}" for ${this.#patience / 1000} s`;
      overdue = setTimeout(() => this.#mailbox.lose(from, reason), this.#patience);
    }
    try {
      const bytes = await this.#mailbox.take(from, tag);
      this.#unread -= bytes.length;
      return bytes;
    } finally {
      clearTimeout(overdue);
    }
  }

  /** A message has come. Throws where the sender says more than anybody asked for. */
  deliver(from: number, tag: string, bytes: Uint8Array): void {
    if (this.#unread + bytes.length > MOST_UNREAD) {
      throw new F3Error('F3_SHARES_MESSAGE', `${nameOf(from)}: may have ${MOST_UNREAD} bytes unread, sent more`);
    }
    this.#unread += bytes.length;
    this.#mailbox.deliver(from, tag, bytes);
  }

  /** The line to or from a party is gone. */
  lose(party: number, reason: string): void {
    this.#mailbox.lose(party, reason);
  }
}

const nameOf = (party: number): string => (party === COORDINATOR ? 'the coordinator' : `entity ${party}`);
