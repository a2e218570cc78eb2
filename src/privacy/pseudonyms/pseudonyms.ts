// [owner] Pseudonyms for sample ids: those in the owner's book, and for the others blinded ids go to the key holder, batch by batch.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DirectoryLock, inUse, lockDirectory, tryLockDirectory } from '../../base/directory-lock.ts';
import { writeWholeFile } from '../../base/whole-file.ts';
import { F3Error } from '../../errors.ts';
import { canonicalSampleId } from '../../exchange/bundle/canonical-time.ts';
import type { ConnectionOptions } from '../../exchange/client/connection.ts';
import type { KeyPair } from '../../exchange/identity/key-pair.ts';
import { KeyHolderClient } from './key-holder-client.ts';
import { OprfThreads } from './oprf-threads.ts';
import { PseudonymBook } from './pseudonym-book.ts';

/** Which key holder a membership uses; kept in its folder, so that ids never leave as they are by mistake. */
export interface PseudonymChoice {
  /** The key holder's address. */
  url: string;
  /** Its public key. */
  publicKey: string;
  /** File of the authority that vouches for its certificate, where it is none that Node knows. */
  ca?: string | undefined;
}

const CHOICE_FILE = 'pseudonyms.json';
const BOOK_FILE = 'pseudonyms.txt';
/** Ids per request, unless the key holder takes fewer. A batch takes either side about a second. */
const BATCH = 250;
/** Batches per thread for which the book is one process's: others wait for so long, and threads idle at its end. */
const BATCHES_PER_ROUND = 4;
/** Milliseconds: between two looks whether the book is free; after which holding it in turn, and for how long, others are let in. */
const [POLL, LONG, PAUSE] = [10, 250, 30];
/** Milliseconds without a new pseudonym after which a process that has the book is given up. */
const PATIENCE = 300_000;
const LOCK_NAMES = { thing: 'pseudonyms in', code: 'F3_HOME' } as const;

/** How pseudonyms are opened. */
export interface PseudonymOptions extends Omit<ConnectionOptions, 'keys' | 'peer'> {
  /** The folder of the membership, which keeps the choice of key holder and the book. */
  folder: string;
  /** The federation, in which an id has a pseudonym of its own. */
  federation: string;
  /** The member's key, which the key holder knows it by. */
  keys: KeyPair;
  /** The code that the key holder gave us, the first time. */
  code?: string | undefined;
  /** The file that `tls.ca` comes from, which is remembered with the address. */
  caFile?: string | undefined;
  /** Threads that compute; by default up to four. */
  threads?: number | undefined;
}

/** The key holder that a membership uses, if it uses one. */
export function pseudonymChoice(folder: string): PseudonymChoice | undefined {
  const file = join(folder, CHOICE_FILE);
  if (!existsSync(file)) return undefined;
  try {
    const { url, publicKey, ca } = JSON.parse(readFileSync(file, 'utf8')) as Partial<PseudonymChoice>;
    const isAuthority = ca === undefined || typeof ca === 'string';
    if (typeof url === 'string' && /^[0-9a-f]{64}$/.test(publicKey ?? '') && isAuthority)
      return { url, publicKey: publicKey as string, ...(ca !== undefined && { ca }) };
  } catch {
    // One message stands for a file that is no JSON and for JSON of another kind.
  }
  throw new F3Error('F3_HOME', `${file}: must name the key holder and its public key, got something else`);
}

/** Throws if the membership's key holder had another key. */
function requireKey(folder: string, publicKey: string, origin: string): void {
  const known = pseudonymChoice(folder);
  if (!known || known.publicKey === publicKey) return;
  const rule = `must have the key ${known.publicKey.slice(0, 8)}… that this membership has used`;
  throw new F3Error('F3_PSEUDONYM_KEY', `key holder ${origin}: ${rule}, got ${publicKey.slice(0, 8)}…`);
}

/** A key that was only stated, and under which nothing was made, gives way to the one that is stated now. */
function chooseKeyHolder(folder: string, choice: PseudonymChoice, book: PseudonymBook): void {
  const known = pseudonymChoice(folder);
  if (known?.url === choice.url && known.publicKey === choice.publicKey && known.ca === choice.ca) return;
  const lock = lockDirectory(folder, { ...LOCK_NAMES, patience: PATIENCE });
  try {
    book.catchUp({ isLocked: true });
    if (book.size > 0) requireKey(folder, choice.publicKey, choice.url);
    const file = join(folder, CHOICE_FILE);
    writeWholeFile(file, `${JSON.stringify(choice, null, 2)}\n`, file, 'F3_HOME');
  } finally {
    lock.release();
  }
}

/** Turns sample ids into pseudonyms. Close it after use. */
export class Pseudonyms {
  /** The key holder's public key, which stands in what is sent under it. */
  readonly publicKey: string;
  readonly #federation: string;
  readonly #client: KeyHolderClient;
  readonly #book: PseudonymBook;
  readonly #batch: number;
  readonly #threads: OprfThreads;
  readonly #folder: string;
  /** Ids that somebody in this process waits for. */
  readonly #wanted = new Set<string>();
  #round: Promise<void> | undefined;
  /** Called when the book has grown. */
  readonly #watchers = new Set<() => void>();
  /** Milliseconds for which this process has had the book without letting others in. */
  #held = 0;

  private constructor(
    parts: { publicKey: string; federation: string; batch: number; folder: string },
    client: KeyHolderClient,
    book: PseudonymBook,
    threads: OprfThreads,
  ) {
    this.publicKey = parts.publicKey;
    this.#federation = parts.federation;
    this.#batch = parts.batch;
    this.#folder = parts.folder;
    this.#client = client;
    this.#book = book;
    this.#threads = threads;
  }

  /** Once a pseudonym was made, and proved to be, under the key holder's key, a key holder with another one is refused. */
  static async open(options: PseudonymOptions): Promise<Pseudonyms> {
    const { folder, federation, keys, code, caFile, threads, ...connection } = options;
    const client = new KeyHolderClient({ ...connection, keys });
    const { publicKey, batch } = await client.facts();
    const { origin } = client.connection;
    const book = PseudonymBook.open(join(folder, BOOK_FILE));
    if (book.size > 0) requireKey(folder, publicKey, origin);
    if (code !== undefined) await client.join(code);
    chooseKeyHolder(folder, { url: origin, publicKey, ...(caFile !== undefined && { ca: caFile }) }, book);
    const parts = { publicKey, federation, batch: Math.min(BATCH, batch), folder };
    return new Pseudonyms(parts, client, book, new OprfThreads(threads));
  }

  /** A pseudonym per id, in their order. What was paid for is in the book, so a run that broke goes on where it was. */
  async of(ids: readonly string[], onProgress?: (done: number, total: number) => void): Promise<string[]> {
    const canonical = ids.map(canonicalSampleId);
    const unknown = new Set(canonical.filter((id) => this.#book.find(id) === undefined));
    const report = () => {
      for (const id of unknown) if (this.#book.find(id) !== undefined) unknown.delete(id);
      onProgress?.(ids.length - unknown.size, ids.length);
    };
    report();
    if (onProgress) this.#watchers.add(report);
    try {
      while (unknown.size > 0) {
        for (const id of unknown) this.#wanted.add(id);
        // Whoever else asks in this process meanwhile shares the round, or the one after it.
        this.#round ??= this.#askRound().finally(() => {
          this.#round = undefined;
        });
        await this.#round;
        report();
      }
    } finally {
      this.#watchers.delete(report);
    }
    return canonical.map((id) => this.#book.find(id) as string);
  }

  /** Ids by their pseudonyms. */
  known(): Map<string, string> {
    return this.#book.reversed();
  }

  async close(): Promise<void> {
    await this.#threads.close();
  }

  /**
   * Has some of the wanted ids evaluated, while no other process of this membership can ask: two that send at once would
   * both pay for the same ids. What the other process has had evaluated is in the book afterwards.
   */
  async #askRound(): Promise<void> {
    const lock = await this.#takeTurn();
    if (!lock) return;
    const start = performance.now();
    try {
      this.#book.catchUp({ isLocked: true });
      // Another process may have met a key holder with another key since this one began.
      requireKey(this.#folder, this.publicKey, this.#client.connection.origin);
      this.#forgetKnown();
      const ids = [...this.#wanted].slice(0, this.#batch * (this.#threads.count + 1) * BATCHES_PER_ROUND);
      for (const id of ids) this.#wanted.delete(id);
      await this.#askAll(ids);
    } catch (error) {
      this.#wanted.clear(); // everybody who waits hears of the error, and wants what is still needed again
      throw error;
    } finally {
      lock.release();
      this.#held += performance.now() - start;
    }
  }

  /** The lock on the folder, or undefined once another process has had all ids evaluated that are wanted here. */
  async #takeTurn(): Promise<DirectoryLock | undefined> {
    // A lock that is taken again at once would never be anybody else's.
    if (this.#held > LONG) await sleep(PAUSE);
    this.#held = this.#held > LONG ? 0 : this.#held;
    let [known, since] = [this.#book.size, performance.now()];
    for (;;) {
      const lock = tryLockDirectory(this.#folder, LOCK_NAMES);
      if (lock) return lock;
      await sleep(POLL);
      this.#book.catchUp();
      this.#forgetKnown();
      if (this.#wanted.size === 0) return undefined;
      if (this.#book.size > known) {
        [known, since] = [this.#book.size, performance.now()];
        for (const report of this.#watchers) report();
      }
      if (performance.now() - since > PATIENCE) throw inUse(this.#folder, LOCK_NAMES);
    }
  }

  #forgetKnown(): void {
    for (const id of this.#wanted) if (this.#book.find(id) !== undefined) this.#wanted.delete(id);
  }

  async #askAll(ids: readonly string[]): Promise<void> {
    const batches = Array.from({ length: Math.ceil(ids.length / this.#batch) }, (_, i) =>
      ids.slice(i * this.#batch, (i + 1) * this.#batch),
    );
    const ask = (batch: string[]) =>
      this.#ask(batch).catch((error: unknown) => {
        batches.length = 0;
        throw error;
      });
    // One batch more than there are threads is under way, so that threads compute while the key holder does.
    const runners = Array.from({ length: this.#threads.count + 1 }, async () => {
      for (let batch = batches.shift(); batch; batch = batches.shift()) {
        this.#book.add(batch, await ask(batch));
        for (const report of this.#watchers) report();
      }
    });
    // A runner that fails leaves the others to end what they have begun, so that what was answered is in the book.
    const failed = (await Promise.allSettled(runners)).find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
  }

  async #ask(ids: readonly string[]): Promise<string[]> {
    const [federation, publicKey] = [this.#federation, this.publicKey];
    const blinded = await this.#threads.blind(federation, ids);
    const answer = await this.#client.evaluate(blinded.blinded).catch((error: unknown) => {
      if (!(error instanceof F3Error) || error.code !== 'F3_AUTH_UNKNOWN') throw error;
      throw new F3Error(error.code, error.message, { cause: error, remedy: 'pseudonymsCode' });
    });
    return this.#threads.unblind({ federation, ids, blinded, answer, publicKey });
  }
}
