// [entity] [coordinator] Messages that have arrived and calls that wait for one, by sender and tag: one half of every transport.
import { F3Error } from '../errors.ts';

interface Waiting {
  resolve: (bytes: Uint8Array) => void;
  reject: (error: Error) => void;
}

/** Puts messages and the calls that wait for them together, in whichever order they come. */
export class Mailbox {
  readonly #arrived = new Map<string, Uint8Array>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #gone = new Map<number, Error>();

  deliver(from: number, tag: string, bytes: Uint8Array): void {
    const key = `${from} ${tag}`;
    const waiting = this.#waiting.get(key);
    this.#waiting.delete(key);
    if (waiting) waiting.resolve(bytes);
    else if (this.#arrived.has(key))
      throw new F3Error('F3_SHARES_MESSAGE', `${tag}: must come once from party ${from}, came twice`);
    else this.#arrived.set(key, bytes);
  }

  take(from: number, tag: string): Promise<Uint8Array> {
    const key = `${from} ${tag}`;
    const bytes = this.#arrived.get(key);
    if (bytes) {
      this.#arrived.delete(key);
      return Promise.resolve(bytes);
    }
    const gone = this.#gone.get(from);
    if (gone) return Promise.reject(gone);
    return new Promise((resolve, reject) => this.#waiting.set(key, { resolve, reject }));
  }

  /** Whoever waits for this party, or will, learns that it is gone. What has arrived from it can still be read. */
  lose(from: number, reason: string): void {
    const who = from === 0 ? 'the coordinator' : `entity ${from}`;
    const error = new F3Error('F3_SHARES_AWAY', `${who}: must answer, but ${reason}`);
    this.#gone.set(from, error);
    for (const [key, { reject }] of this.#waiting) {
      if (!key.startsWith(`${from} `)) continue;
      this.#waiting.delete(key);
      reject(error);
    }
  }

  /** The party can be reached again. */
  find(from: number): void {
    this.#gone.delete(from);
  }
}
