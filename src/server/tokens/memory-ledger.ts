// [coordinator] Remembers used tokens in memory, for a database of one process; a mark in the database bounds what a crash forgets.
import { setTimeout as sleep } from 'node:timers/promises';
import type { TokenUse } from '../../exchange/identity/request-token.ts';
import { lowerMark, raiseMark, readClock, resetClock } from '../../storage/clock.ts';
import type { Store } from '../../storage/database/open-database.ts';
import { forgetExpiredTokens, keepEarly, LEASE_SECONDS, listEarlyTokens } from '../../storage/used-tokens.ts';
import { MOST_BEHIND_MS, SteadyClock } from './steady-clock.ts';
import { behindText, type LedgerOptions, outlived, replayed, type TokenLedger } from './token-ledger.ts';

const SWEEP_MS = 10_000;

/** The times of the database, in seconds. */
interface KeptSeconds {
  mark: number;
  forgotten: number;
}

/**
 * A token is accepted when the database has a mark that is no earlier than the token's issue, or has the token itself. So after
 * a crash every token that may have been accepted is known: by its time, or by its id. Tokens up to the mark are refused, and
 * their senders sign again. Only tokens of clients whose clocks are ahead are written one by one; for all others the mark moves
 * once in a few seconds. A write for each token would cost a flush of the disk per prediction.
 */
export class MemoryLedger implements TokenLedger {
  readonly #store: Store;
  readonly #clock: SteadyClock;
  /** Tokens that were issued up to this second were perhaps used before this process began. */
  readonly #floor: number;
  /** Tokens that expire up to this second were forgotten before this process began. */
  readonly #forgotten: number;
  readonly #used: Map<string, number>;
  readonly #sweep = setInterval(() => void this.#forget().catch(() => undefined), SWEEP_MS).unref();
  /** The mark of the database, in seconds. */
  #mark: number;
  #raising: Promise<void> | undefined;
  /** When the newest of all tokens was issued, in seconds. */
  #latest: number;

  private constructor(store: Store, clock: SteadyClock, kept: KeptSeconds, used: Map<string, number>) {
    this.#store = store;
    this.#clock = clock;
    this.#floor = kept.mark;
    this.#mark = kept.mark;
    this.#latest = kept.mark;
    this.#forgotten = kept.forgotten;
    this.#used = used;
  }

  /** Waits out the rest of a second or two that a process before has reserved. */
  static async open(store: Store, { acceptClock = false, system }: LedgerOptions): Promise<MemoryLedger> {
    if (acceptClock) await resetClock(store.db, new Date((system ?? Date.now)()));
    const { mark, forgotten } = await readClock(store.db);
    const clock = new SteadyClock(new Date(Math.max(mark.getTime(), forgotten.getTime())), system);
    const kept = { mark: Math.floor(mark.getTime() / 1000), forgotten: Math.floor(forgotten.getTime() / 1000) };
    const wait = (kept.mark + 1) * 1000 - clock.system().getTime();
    if (wait > 0 && wait <= (LEASE_SECONDS + 1) * 1000) await sleep(wait);
    const used = await listEarlyTokens(store.db);
    return new MemoryLedger(store, clock, kept, new Map(used.map(({ jti, exp }) => [jti, exp])));
  }

  now(): Date {
    return this.#clock.now();
  }

  async use({ jti, iat, exp }: TokenUse): Promise<void> {
    if (iat <= this.#floor || exp <= this.#forgotten) throw outlived();
    if (this.#used.has(jti)) throw replayed();
    // It counts as used from now on, so that the same token is not taken twice while the database writes.
    this.#used.set(jti, exp);
    this.#latest = Math.max(this.#latest, iat);
    if (iat <= this.#mark) return;
    if (iat > this.#leaseEnd()) {
      const kept = await keepEarly(this.#store.db, [jti], [new Date(exp * 1000)]);
      if (!kept.has(jti)) throw replayed();
      return;
    }
    while (iat > this.#mark) await this.#raise();
  }

  /** Nobody else changes the embedded database, and it reports its changes by itself. */
  async current(): Promise<void> {}

  async clockTrouble(): Promise<string | undefined> {
    const seconds = Math.floor(this.#clock.system().getTime() / 1000);
    const behind = Math.max(this.#clock.behind(), (this.#floor - seconds) * 1000);
    return behind > MOST_BEHIND_MS || seconds <= this.#floor ? behindText(behind) : undefined;
  }

  /** An orderly end leaves a mark that is no later than the last token, so that the next start need not wait. */
  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await this.#raising?.catch(() => undefined);
    // A database that is away keeps its later mark, and the next start waits for it.
    await lowerMark(this.#store.db, new Date(this.#latest * 1000)).catch(() => undefined);
  }

  /** The latest second that a raise of the mark reaches now. */
  #leaseEnd(): number {
    return Math.floor(this.now().getTime() / 1000) + LEASE_SECONDS;
  }

  /** Requests that come together wait for one write. */
  #raise(): Promise<void> {
    const to = this.#leaseEnd();
    this.#raising ??= raiseMark(this.#store.db, new Date(to * 1000))
      .then(() => {
        this.#mark = Math.max(this.#mark, to);
      })
      .finally(() => {
        this.#raising = undefined;
      });
    return this.#raising;
  }

  /** A token that expired by a clock that never goes back is refused for that from then on. */
  async #forget(): Promise<void> {
    const seconds = this.now().getTime() / 1000;
    for (const [jti, exp] of this.#used) if (exp < seconds) this.#used.delete(jti);
    await forgetExpiredTokens(this.#store.db);
  }
}
