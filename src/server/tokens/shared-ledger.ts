// [coordinator] Keeps used tokens in a database that several processes share: one statement for all tokens of a moment.
import { Batches } from '../../base/batches.ts';
import { TOKEN_SECONDS, type TokenUse } from '../../exchange/identity/request-token.ts';
import { readClock, resetClock } from '../../storage/clock.ts';
import type { Store } from '../../storage/database/open-database.ts';
import { forgetExpiredTokens, useOnce } from '../../storage/used-tokens.ts';
import type { Directory } from './directory.ts';
import { MOST_BEHIND_MS, SteadyClock } from './steady-clock.ts';
import { behindText, type LedgerOptions, outlived, replayed, type TokenLedger } from './token-ledger.ts';

const SWEEP_MS = 10_000;
/** Most tokens in one statement, and most statements at a time, so that connections are left for the requests themselves. */
const BATCHES = { maxItems: 1000, maxUnderWay: 4 };

type Outcome = 'fresh' | 'used' | 'forgotten';

/** The same statement returns the revision of what the directory remembers, and up to when tokens are forgotten. */
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
    if (acceptClock) await resetClock(store.db, new Date((system ?? Date.now)()));
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
    return this.#clock.behind() > MOST_BEHIND_MS ? behindText(this.#clock.behind()) : undefined;
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
  }

  /** Undefined stands for a request without a token. */
  async #useOnce(tokens: readonly (TokenUse | undefined)[]): Promise<Outcome[]> {
    const uses = tokens.filter((token) => token !== undefined);
    const ids = uses.map(({ jti }) => jti);
    const expiries = uses.map(({ exp }) => new Date(exp * 1000));
    const { fresh, revision, forgotten } = await useOnce(this.#store.db, ids, expiries);
    this.#directory.sawRevision(revision);
    const answers = fresh.values();
    return tokens.map((token) => {
      if (token === undefined) return 'fresh';
      const isNew = answers.next().value === true;
      if (token.exp * 1000 <= forgotten.getTime()) return 'forgotten';
      return isNew ? 'fresh' : 'used';
    });
  }
}
