// [coordinator] Accepts a request token only once, across requests, processes and restarts.
import { Batches } from '../../base/batches.ts';
import { F3Error } from '../../errors.ts';
import type { TokenUse } from '../../exchange/identity/request-token.ts';
import type { Store } from '../../storage/database/open-database.ts';
import { removeExpiredTokens, useOnce } from '../../storage/used-tokens.ts';
import type { Directory } from './directory.ts';

export interface TokenLedger {
  /** Throws F3_AUTH_REPLAY for a token that was used before. */
  use(token: TokenUse): Promise<void>;
  /** For a request without such a token. Like `use`, it learns what other processes have changed. */
  current(): Promise<void>;
  close(): void;
}

export function openTokenLedger(store: Store, directory: Directory): TokenLedger {
  return store.kind === 'embedded' ? new MemoryLedger() : new SharedLedger(store, directory);
}

const SWEEP_MS = 10_000;

/**
 * For a database of one process: used tokens are remembered in memory. What an earlier process accepted is unknown, so
 * tokens older than this process are refused, and the client signs again.
 */
class MemoryLedger implements TokenLedger {
  readonly #started = Math.floor(Date.now() / 1000);
  readonly #used = new Map<string, number>();
  readonly #sweep = setInterval(() => this.#forget(), SWEEP_MS).unref();

  async use({ jti, iat, exp }: TokenUse): Promise<void> {
    if (iat < this.#started) {
      throw new F3Error(
        'F3_AUTH_RETRY',
        'token: must be newer than the start of the coordinator; sign the request anew',
      );
    }
    if (this.#used.has(jti)) throw replayed();
    this.#used.set(jti, exp);
  }

  /** Nobody else changes the embedded database, and it reports its changes by itself. */
  async current(): Promise<void> {}

  close(): void {
    clearInterval(this.#sweep);
  }

  #forget(): void {
    const now = Date.now() / 1000;
    for (const [jti, exp] of this.#used) if (exp < now) this.#used.delete(jti);
  }
}

/** Most tokens in one statement, and most statements at a time, so that connections are left for the requests themselves. */
const BATCHES = { maxItems: 1000, maxUnderWay: 4 };

/** For a database that several processes share: one statement for all tokens of a moment also returns the revision. */
class SharedLedger implements TokenLedger {
  readonly #store: Store;
  readonly #directory: Directory;
  readonly #sweep: NodeJS.Timeout;
  readonly #batches = new Batches((tokens: (TokenUse | undefined)[]) => this.#useOnce(tokens), BATCHES);

  constructor(store: Store, directory: Directory) {
    this.#store = store;
    this.#directory = directory;
    this.#sweep = setInterval(() => removeExpiredTokens(store.db).catch(() => undefined), SWEEP_MS).unref();
  }

  async use(token: TokenUse): Promise<void> {
    if (!(await this.#batches.add(token))) throw replayed();
  }

  async current(): Promise<void> {
    await this.#batches.add(undefined);
  }

  close(): void {
    clearInterval(this.#sweep);
  }

  /** Returns for each token whether it is new. Undefined stands for a request without a token. */
  async #useOnce(tokens: readonly (TokenUse | undefined)[]): Promise<boolean[]> {
    const uses = tokens.filter((token) => token !== undefined);
    const ids = uses.map(({ jti }) => jti);
    const expiries = uses.map(({ exp }) => new Date(exp * 1000));
    const { fresh, revision } = await useOnce(this.#store.db, ids, expiries);
    this.#directory.sawRevision(revision);
    const answers = fresh.values();
    return tokens.map((token) => token === undefined || answers.next().value === true);
  }
}

const replayed = () => new F3Error('F3_AUTH_REPLAY', 'token: must be used once, got one that was used before');
