// [coordinator] A request token is good once: across requests, processes and restarts.
import { F3Error } from '../../errors.ts';
import type { TokenUse } from '../../exchange/identity/request-token.ts';
import type { Store } from '../../storage/database/open-database.ts';
import { removeExpiredTokens, useOnce } from '../../storage/used-tokens.ts';
import type { Directory } from './directory.ts';

export interface TokenLedger {
  /** Throws F3_AUTH_REPLAY for a token that was used before. */
  use(token: TokenUse): Promise<void>;
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

  close(): void {
    clearInterval(this.#sweep);
  }

  #forget(): void {
    const now = Date.now() / 1000;
    for (const [jti, exp] of this.#used) if (exp < now) this.#used.delete(jti);
  }
}

interface Waiting {
  token: TokenUse;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** For a database that several processes share: one statement for all tokens of a moment, which also tells of changes. */
class SharedLedger implements TokenLedger {
  readonly #store: Store;
  readonly #directory: Directory;
  readonly #sweep: NodeJS.Timeout;
  #waiting: Waiting[] = [];

  constructor(store: Store, directory: Directory) {
    this.#store = store;
    this.#directory = directory;
    this.#sweep = setInterval(() => removeExpiredTokens(store.db).catch(() => undefined), SWEEP_MS).unref();
  }

  use(token: TokenUse): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ token, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#flush());
    });
  }

  close(): void {
    clearInterval(this.#sweep);
  }

  async #flush(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    try {
      const ids = batch.map(({ token }) => token.jti);
      const { fresh, revision } = await useOnce(
        this.#store.db,
        ids,
        batch.map(({ token }) => new Date(token.exp * 1000)),
      );
      this.#directory.sawRevision(revision);
      for (const [i, { resolve, reject }] of batch.entries()) {
        if (fresh[i]) resolve();
        else reject(replayed());
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}

const replayed = () => new F3Error('F3_AUTH_REPLAY', 'token: must be used once, got one that was used before');
