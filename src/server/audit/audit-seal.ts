// [coordinator] Signs the heads of the audit logs with the coordinator's own key, a second after they have grown.
import { existsSync } from 'node:fs';
import { type AuditHead, signHead } from '../../exchange/audit/audit-head.ts';
import { createKeyPair, type KeyPair, loadKeyPair, saveKeyPair } from '../../exchange/identity/key-pair.ts';
import { appendAudit, COORDINATOR } from '../../storage/audit.ts';
import {
  addAuditKey,
  addHead,
  type ChainEnd,
  hashFromHead,
  latestHead,
  listChainEnds,
} from '../../storage/audit-heads.ts';
import { inTransaction } from '../../storage/database/in-transaction.ts';
import type { Store } from '../../storage/database/open-database.ts';

const EVERY_MS = 1000;

/** The private key lies in the data folder, not in the database, so that whoever changes the database cannot sign the change. */
export class AuditSeal {
  readonly #store: Store;
  readonly #keys: KeyPair;
  readonly #onBroken: (federation: string | null) => void;
  readonly #timer: NodeJS.Timeout;
  /** Logs whose entries no longer lead to the hash that the database has. */
  readonly #broken = new Set<string | null>();
  #last: Promise<void> = Promise.resolve();

  private constructor(store: Store, keys: KeyPair, onBroken: (federation: string | null) => void) {
    this.#store = store;
    this.#keys = keys;
    this.#onBroken = onBroken;
    // A failure here needs no report: requests that use the database fail in the same way and report it.
    this.#timer = setInterval(() => void this.seal().catch(() => undefined), EVERY_MS).unref();
  }

  /** The first start makes the key. `onBroken` is called once for each log that was changed. */
  static async open(store: Store, file: string, onBroken: (federation: string | null) => void): Promise<AuditSeal> {
    if (!existsSync(file)) saveKeyPair(file, await createKeyPair());
    const keys = await loadKeyPair(file);
    await inTransaction(store.db, async (trx) => {
      if (!(await addAuditKey(trx, keys.id, keys.publicKey))) return;
      const details = { keyId: keys.id };
      await appendAudit(trx, { federation: null, actor: COORDINATOR, action: 'audit.key', details });
    });
    return new AuditSeal(store, keys, onBroken);
  }

  /** How many logs were changed behind the coordinator's back. */
  get broken(): number {
    return this.#broken.size;
  }

  /** Signs heads over all entries that are there, of all logs or of one. */
  seal(federation?: string | null): Promise<void> {
    this.#last = this.#last.catch(() => undefined).then(() => this.#sealAll(federation));
    return this.#last;
  }

  /** A head over all entries of a log; undefined if there are none. */
  async head(federation: string | null): Promise<AuditHead | undefined> {
    await this.seal(federation);
    return latestHead(this.#store.db, federation);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.seal().catch(() => undefined);
  }

  async #sealAll(federation: string | null | undefined): Promise<void> {
    for (const end of await listChainEnds(this.#store.db, federation)) {
      if (end.sealed < end.count) await this.#sealOne(end);
    }
  }

  /** Signs only what follows from the head before: entries that somebody changed since then are not signed. */
  async #sealOne(end: ChainEnd): Promise<void> {
    const { federation, count, hash } = end;
    if ((await hashFromHead(this.#store.db, end)) !== hash) {
      if (!this.#broken.has(federation)) this.#onBroken(federation);
      this.#broken.add(federation);
      return;
    }
    this.#broken.delete(federation);
    await addHead(this.#store.db, signHead(this.#keys, { federation, count, hash, at: new Date().toISOString() }));
  }
}
