// [entity] Shares of samples of this moment: kept in memory until the coordinator asks about the sample, or a few minutes.
import { F3Error } from '../../errors.ts';

interface LiveShare {
  owner: string;
  bytes: Uint8Array;
  /** Id of its coding, where the numbers are codes. */
  coding: string | undefined;
  expires: number;
}

/** What a live share must be of. */
export interface ExpectedShare {
  owner: string;
  width: number;
  coding?: string | undefined;
}

/** Beyond the longest deadline of a live sample and the minute in which others may still ask. */
const KEPT_MS = 180_000;
/** Samples of one owner that may wait at a time; older ones make room. */
const MOST_OF_OWNER = 1024;
/** The same in bytes: a wide embedding is not kept as often. */
const MOST_BYTES = 64 * 2 ** 20;
const TICKET = /^[0-9a-f]{32}$/;

/** Live shares of one federation, by the name that their owner drew. */
export class LiveShares {
  readonly #kept = new Map<string, LiveShare>();

  put(
    { ticket, coding }: { ticket: string; coding?: string | undefined },
    owner: string,
    bytes: Uint8Array,
    now = Date.now(),
  ): void {
    if (!TICKET.test(ticket)) throw wrong(owner, 'ticket must be 32 hexadecimal digits, got another');
    if (bytes.length === 0 || bytes.length % 16 !== 0) {
      throw wrong(owner, `must be numbers of 16 bytes, got ${bytes.length} bytes`);
    }
    const known = this.#kept.get(ticket);
    if (known && known.owner !== owner) throw wrong(owner, 'ticket must be new, got one that is in use');
    for (const [name, { expires }] of this.#kept) if (expires <= now) this.#kept.delete(name);
    const own = [...this.#kept].filter(([, share]) => share.owner === owner);
    let bytesKept = own.reduce((sum, [, share]) => sum + share.bytes.length, bytes.length);
    for (let i = 0; i < own.length && (own.length - i >= MOST_OF_OWNER || bytesKept > MOST_BYTES); i++) {
      bytesKept -= own[i][1].bytes.length;
      this.#kept.delete(own[i][0]);
    }
    this.#kept.set(ticket, { owner, bytes: bytes.slice(), coding, expires: now + KEPT_MS });
  }

  /** [d] numbers of that owner under that ticket. */
  read(ticket: string, { owner, width, coding }: ExpectedShare): Uint8Array {
    const share = this.#kept.get(ticket);
    if (!share || share.owner !== owner) {
      throw new F3Error('F3_SHARES_STORE', `live share of ${owner}: must be held, got none; send the sample again`);
    }
    if (share.coding !== coding) {
      const rule = 'must have the codes that the model has learned, got others';
      throw new F3Error('F3_SHARES_CODES', `live share of ${owner}: ${rule}`);
    }
    if (share.bytes.length === width * 16) return share.bytes;
    throw wrong(owner, `must have width ${width}, got ${share.bytes.length / 16}`);
  }
}

const wrong = (owner: string, rule: string): F3Error =>
  new F3Error('F3_SHARES_BUNDLE', `live share of ${owner}: ${rule}`);
