// [coordinator] Checks the static inference token of a request, and notes when each token was last used.
import { F3Error } from '../../errors.ts';
import type { Store } from '../../storage/database/open-database.ts';
import { INFERENCE_TOKEN_PREFIX, inferenceTokenHash, touchInferenceToken } from '../../storage/inference-tokens.ts';
import type { InferenceTokenRow } from '../../storage/schema.ts';
import type { Directory } from './directory.ts';

/** The use of a token is noted at most this often, because a prediction should not cost a write. */
const NOTE_MS = 60_000;

export const isInferenceToken = (token: string): boolean => token.startsWith(INFERENCE_TOKEN_PREFIX);

export class InferenceAccess {
  readonly #store: Store;
  readonly #directory: Directory;
  readonly #noted = new Map<string, number>();
  #noting: Promise<void> = Promise.resolve();

  constructor(store: Store, directory: Directory) {
    this.#store = store;
    this.#directory = directory;
  }

  /** Throws unless the token is known, neither revoked nor expired, and of this federation. */
  async require(secret: string, federation: string | undefined, now = new Date()): Promise<InferenceTokenRow> {
    const hash = inferenceTokenHash(secret);
    const token = hash === undefined ? undefined : await this.#directory.inferenceToken(hash);
    if (!token) throw new F3Error('F3_AUTH_UNKNOWN', 'inference token: must be known, got an unknown one');
    const name = `inference token ${token.name}`;
    if (token.revoked) throw new F3Error('F3_AUTH_REVOKED', `${name}: must not be revoked, got a revoked one`);
    if (token.expires && token.expires <= now) {
      const found = `one that expired at ${token.expires.toISOString()}`;
      throw new F3Error('F3_AUTH_EXPIRED', `${name}: must not have expired, got ${found}`);
    }
    if (token.federation === federation) return token;
    throw new F3Error('F3_AUTH_FORBIDDEN', `${name}: must be of the federation that is asked, got one of another`);
  }

  /** Requests do not wait for the write. At worst the list of tokens is a minute behind. */
  note({ id }: InferenceTokenRow, now = new Date()): void {
    const last = this.#noted.get(id) ?? 0;
    if (now.getTime() - last < NOTE_MS) return;
    this.#noted.set(id, now.getTime());
    this.#noting = this.#noting.then(() => touchInferenceToken(this.#store.db, id, now)).catch(() => undefined);
  }

  /** Resolves when all notes are written. */
  close(): Promise<void> {
    return this.#noting;
  }
}
