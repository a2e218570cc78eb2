// [coordinator] A request token is good once: across requests, processes and restarts.
import { Batches } from '../../base/batches.ts';
import { F3Error } from '../../errors.ts';
import type { TokenUse } from '../../exchange/identity/request-token.ts';
import type { Store } from '../../storage/database/open-database.ts';
import { removeExpiredTokens, useOnce } from '../../storage/used-tokens.ts';
import type { Directory } from './directory.ts';

export interface TokenLedger {
  /** Throws F3_AUTH_REPLAY for a token that was used before. */
  use(token: TokenUse): Promise<void>;
  /** For a request without such a token: hears of what other processes have changed, as `use` does. */
  current(): Promise<void>;
  close(): void;
}

export function openTokenLedger(store: Store, directory: Directory): TokenLedger {
  return store.kind === 'embedded' ? new MemoryLedger() : new SharedLedger(store, directory);
}

const SWEEP_MS = 10_000;

/**
 * For a database of one process: what was used is remembered here. Nobody remembers what an earlier process accepted, so
 * tokens older than this one are refused; the client signs anew.
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

  /** Nobody else changes the database, and it tells of its changes by itself. */
  async current(): Promise<void> {}

  close(): void {
    clearInterval(this.#sweep);
  }

  #forget(): void {
    const now = Date.now() / 1000;
    for (const [jti, exp] of this.#used) if (exp < now) this.#used.delete(jti);
  }
}

/** Tokens of one statement, and statements at a time: connections are left for what the requests go on to do. */
const BATCHES = { maxItems: 1000, maxUnderWay: 4 };

/** For a database that several processes share: one statement for all tokens of a moment, which also tells of changes. */
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

  /** → [token]: whether it is new; undefined stands for a request without one */
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
