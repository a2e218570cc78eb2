// [coordinator] PGlite in a thread of its own, as Kysely's dialect and the store ask it: requests are served while the database works.
import type { PGliteDialectConfig } from 'kysely';
import { WorkerThread } from '../../base/worker-thread.ts';
import type { DatabaseFailure, EmbeddedAnswer, EmbeddedQuestion, EmbeddedReport } from './embedded-worker.ts';

type AskedByKysely = Exclude<PGliteDialectConfig['pglite'], (...args: never[]) => unknown>;
type Results<T> = Awaited<ReturnType<AskedByKysely['query']>> & { rows: T[] };
type Query = <T>(text: string, values?: readonly unknown[]) => Promise<Results<T>>;
type AskedTransaction = Parameters<Parameters<AskedByKysely['transaction']>[0]>[0];

/** SQLSTATE of a connection that has failed. */
const CONNECTION_FAILURE = '08006';

type DatabaseThread = WorkerThread<EmbeddedQuestion, EmbeddedAnswer, EmbeddedReport>;

/** A thread that has ended by itself is started again by the next question; the database then recovers from its log. */
export class EmbeddedThread implements AskedByKysely {
  readonly ready = true;
  readonly waitReady = Promise.resolve();
  readonly #dir: string;
  readonly #fsync: boolean;
  readonly #listeners: (() => void)[] = [];
  #running: Promise<DatabaseThread> | undefined;
  #hasRun = false;
  #isClosed = false;

  private constructor(dir: string, fsync: boolean) {
    this.#dir = dir;
    this.#fsync = fsync;
  }

  static async open(dir: string, fsync: boolean): Promise<EmbeddedThread> {
    const opened = new EmbeddedThread(dir, fsync);
    await opened.#thread();
    return opened;
  }

  get closed(): boolean {
    return this.#isClosed;
  }

  /** Called when a member or a federation has changed, before whoever changed it is answered. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  readonly query: Query = async (text, values) => queryIn(await this.#thread(), text, values);

  /** Runs any number of statements, and gives the rows of all. */
  async statements(text: string): Promise<Record<string, unknown>[]> {
    const { rows = [] } = await ask(await this.#thread(), { kind: 'statements', text });
    return rows.map(withBuffers);
  }

  /**
   * A transaction that cannot begin fails at its first query: Kysely waits until `work` is called, so it would wait for ever, and
   * nobody would take the error.
   */
  async transaction<T>(work: (transaction: AskedTransaction) => Promise<T>): Promise<T> {
    const begun = await this.#begin().catch((error: Error) => error);
    if (begun instanceof Error) {
      await work({ query: () => Promise.reject(begun), rollback: () => Promise.reject(begun) });
      throw begun;
    }
    const { thread, transaction } = begun;
    const end = (commit: boolean) => ask(thread, { kind: 'end', transaction, commit });
    const query: Query = (text, values) => queryIn(thread, text, values, transaction);
    let result: T;
    try {
      result = await work({
        query,
        rollback: () => Promise.reject(new Error('a transaction is rolled back by an error')),
      });
    } catch (error) {
      // Of a thread that has ended there is nothing to roll back, and the error says why.
      await end(false).catch(() => undefined);
      throw error;
    }
    await end(true);
    return result;
  }

  async #begin(): Promise<{ thread: DatabaseThread; transaction: number }> {
    const thread = await this.#thread();
    const { transaction = 0 } = await ask(thread, { kind: 'begin' });
    return { thread, transaction };
  }

  async maintain(): Promise<void> {
    await ask(await this.#thread(), { kind: 'maintain' });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const thread = await this.#running?.catch(() => undefined);
    if (!thread) return;
    try {
      await ask(thread, { kind: 'close' });
    } finally {
      await thread.dispose();
    }
  }

  #thread(): Promise<DatabaseThread> {
    if (this.#isClosed) return Promise.reject(new Error('embedded database: must be open, got a closed one'));
    if (!this.#running) {
      const starting = this.#start().catch((error: Error) => {
        throw this.#hasRun ? lost(`must start again, got ${error.message}`, error) : error;
      });
      this.#running = starting;
      starting.catch(() => this.#forget(starting));
    }
    return this.#running;
  }

  #forget(thread: Promise<DatabaseThread>): void {
    if (this.#running === thread) this.#running = undefined;
  }

  async #start(): Promise<DatabaseThread> {
    const thread: DatabaseThread = new WorkerThread(new URL('./embedded-worker', import.meta.url), {
      name: 'f3-database',
      onReport: () => {
        for (const listener of this.#listeners) listener();
      },
      onFailure: () => {
        this.#running = undefined;
      },
    });
    try {
      await ask(thread, { kind: 'open', dir: this.#dir, fsync: this.#fsync });
    } catch (error) {
      await thread.dispose();
      throw error;
    }
    this.#hasRun = true;
    return thread;
  }
}

async function queryIn<T>(
  thread: DatabaseThread,
  text: string,
  values: readonly unknown[] = [],
  transaction?: number,
): Promise<Results<T>> {
  const transfer: ArrayBuffer[] = [];
  // Bytes are copied, because they may be a part of something larger, which the caller goes on to use.
  const own = values.map((value) => {
    if (!(value instanceof Uint8Array)) return value;
    const copy = new Uint8Array(value);
    transfer.push(copy.buffer);
    return copy;
  });
  const { rows = [], affectedRows } = await ask(thread, { kind: 'query', text, values: own, transaction }, transfer);
  return { rows: rows.map(withBuffers) as T[], fields: [], ...(affectedRows !== undefined && { affectedRows }) };
}

async function ask(
  thread: DatabaseThread,
  question: EmbeddedQuestion,
  transfer: ArrayBuffer[] = [],
): Promise<EmbeddedAnswer> {
  const answer = await thread.ask(question, transfer).catch((cause: Error) => {
    throw lost(`must run, got its end: ${cause.message}`, cause);
  });
  if (answer.failure) throw errorOf(answer.failure);
  return answer;
}

/** An error that passes, as that of a server that is away. */
const lost = (what: string, cause: Error): Error =>
  Object.assign(new Error(`embedded database: its thread ${what}`, { cause }), { code: CONNECTION_FAILURE });

/** Bytes arrive as Uint8Array; drivers of databases give buffers. */
function withBuffers(row: Record<string, unknown>): Record<string, unknown> {
  for (const [name, value] of Object.entries(row)) {
    if (value instanceof Uint8Array) row[name] = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  }
  return row;
}

function errorOf({ message, stack, details }: DatabaseFailure): Error {
  const error = Object.assign(new Error(message), details);
  if (stack !== undefined) error.stack = stack;
  return error;
}
