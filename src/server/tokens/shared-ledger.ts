// [coordinator] Keeps used tokens in a database that several processes share: one statement for all tokens of a moment.
import { setTimeout as sleep } from 'node:timers/promises';
import { Batches } from '../../base/batches.ts';
import { TOKEN_SECONDS, type TokenUse } from '../../exchange/identity/request-token.ts';
import { readClock, resetClock } from '../../storage/clock.ts';
import type { Store } from '../../storage/database/open-database.ts';
import {
  beginLife,
  forgetExpiredTokens,
  keepEarly,
  LEASE_SECONDS,
  lowerFloor,
  raiseSharedMark,
  useOnce,
} from '../../storage/used-tokens.ts';
import type { Directory } from './directory.ts';
import { MOST_BEHIND_MS, SteadyClock } from './steady-clock.ts';
import { behindText, type LedgerOptions, outlived, replayed, type TokenLedger } from './token-ledger.ts';

const SWEEP_MS = 10_000;
/** Most tokens in one statement, and most statements at a time, so that connections are left for the requests themselves. */
const BATCHES = { maxItems: 1000, maxUnderWay: 4 };

/** The longest that new tokens are refused after a crash of the database: the lease, and the rest of a second. */
const WAIT_MS = (LEASE_SECONDS + 1) * 1000;

type Outcome = 'fresh' | 'used' | 'forgotten';

/**
 * The same statement returns the revision of what the directory remembers, and up to when tokens are forgotten. Used tokens are not
 * flushed to the disk, where a request would wait behind uploads. As in `MemoryLedger`, a token is accepted when a mark on disk is no
 * earlier than its issue, or when it is on disk itself; a crash of the database empties the table of the others, and then tokens up
 * to the mark are refused, and their senders sign again.
 */
export class SharedLedger implements TokenLedger {
  readonly #store: Store;
  readonly #directory: Directory;
  readonly #clock: SteadyClock;
  readonly #sweep: NodeJS.Timeout;
  readonly #batches = new Batches((tokens: (TokenUse | undefined)[]) => this.#useOnce(tokens), BATCHES);

  private constructor(store: Store, directory: Directory, clock: SteadyClock) {
    this.#store = store;
    this.#directory = directory;
    this.#clock = clock;
    this.#sweep = setInterval(() => forgetExpiredTokens(store.db).catch(() => undefined), SWEEP_MS).unref();
  }

  static async open(store: Store, directory: Directory, { acceptClock = false, system }: LedgerOptions) {
    if (acceptClock) {
      const time = new Date((system ?? Date.now)());
      await resetClock(store.db, time);
      await lowerFloor(store.db, time);
    }
    const floor = await beginLife(store.db);
    // Whoever asks at once after a crash need not sign twice.
    const wait = floor.getTime() + 1000 - Date.now();
    if (wait > 0 && wait <= WAIT_MS) await sleep(wait);
    return new SharedLedger(store, directory, new SteadyClock(undefined, system));
  }

  now(): Date {
    return this.#clock.now();
  }

  async use(token: TokenUse): Promise<void> {
    const outcome = await this.#batches.add(token);
    if (outcome === 'used') throw replayed();
    if (outcome === 'forgotten') throw outlived();
  }

  async current(): Promise<void> {
    await this.#batches.add(undefined);
  }

  /** A token that is signed now by this process's clock must not count as forgotten by the database's. */
  async clockTrouble(): Promise<string | undefined> {
    const { forgotten } = await readClock(this.#store.db);
    const late = forgotten.getTime() - this.#clock.system().getTime();
    if (late > TOKEN_SECONDS * 1000) return behindText(late);
    const floor = await beginLife(this.#store.db);
    const behind = Math.max(this.#clock.behind(), floor.getTime() - this.#clock.system().getTime());
    return behind > MOST_BEHIND_MS ? behindText(behind) : undefined;
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
  }

  /** Undefined stands for a request without a token. */
  async #useOnce(tokens: readonly (TokenUse | undefined)[]): Promise<Outcome[]> {
    const uses = tokens.filter((token) => token !== undefined);
    const { db } = this.#store;
    const { fresh, revision, forgotten, floor, mark, now } = await useOnce(db, idsOf(uses), expiriesOf(uses));
    this.#directory.sawRevision(revision);
    if (floor === null) await beginLife(db);
    const judged = uses.map((token, i): JudgedToken => {
      const isForgotten = floor === null || isUpTo(token.iat, floor) || isUpTo(token.exp, forgotten);
      return { ...token, outcome: isForgotten ? 'forgotten' : fresh[i] ? 'fresh' : 'used' };
    });
    await this.#keep(
      judged.filter(({ outcome, iat }) => outcome === 'fresh' && !isUpTo(iat, mark)),
      new Date(now.getTime() + LEASE_SECONDS * 1000),
    );
    const answers = judged.values();
    return tokens.map((token) => (token ? (answers.next().value?.outcome ?? 'used') : 'fresh'));
  }

  /** Sees to it that a crash makes none of these good again, which were issued after the mark. `lease`: the highest mark of now. */
  async #keep(tokens: readonly JudgedToken[], lease: Date): Promise<void> {
    const { db } = this.#store;
    const current = tokens.filter(({ iat }) => isUpTo(iat, lease));
    if (current.length > 0) {
      const { kept, mark } = await raiseSharedMark(db, idsOf(current));
      for (const token of current) if (!kept.has(token.jti) || !isUpTo(token.iat, mark)) token.outcome = 'forgotten';
    }
    const early = tokens.filter(({ iat }) => !isUpTo(iat, lease));
    if (early.length > 0) {
      const kept = await keepEarly(db, idsOf(early), expiriesOf(early));
      for (const token of early) if (!kept.has(token.jti)) token.outcome = 'used';
    }
  }
}

interface JudgedToken extends TokenUse {
  outcome: Outcome;
}

const idsOf = (uses: readonly TokenUse[]): string[] => uses.map(({ jti }) => jti);
const expiriesOf = (uses: readonly TokenUse[]): Date[] => uses.map(({ exp }) => new Date(exp * 1000));
const isUpTo = (seconds: number, time: Date): boolean => seconds * 1000 <= time.getTime();
