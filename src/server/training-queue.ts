// [coordinator] Trainings wait in pg-boss, so that any process that shares the database may take them, and none is lost.
import { PgBoss } from 'pg-boss';
import type { Store } from '../storage/open-database.ts';
import type { Db } from '../storage/schema.ts';
import { requireTraining } from '../storage/trainings.ts';
import { transactionSql } from '../storage/transaction-sql.ts';
import { type RunOptions, runTraining } from './run-training.ts';

const QUEUE = 'f3-training';
/** A worker that has not said that it lives for this long is taken for dead, and its training goes to another. */
const EXPIRE_SECONDS = 24 * 3600;
const HEARTBEAT_SECONDS = 10;
/** How often somebody looks for such workers. */
const LOOK_SECONDS = 5;

export class TrainingQueue {
  readonly #boss: PgBoss;
  readonly #store: Store;
  readonly #onError: (error: Error) => void;
  readonly #stop = new AbortController();

  private constructor(boss: PgBoss, store: Store, onError: (error: Error) => void) {
    this.#boss = boss;
    this.#store = store;
    this.#onError = onError;
  }

  static async open(store: Store, onError: (error: Error) => void): Promise<TrainingQueue> {
    const boss = new PgBoss({
      db: { executeSql: (text, values) => store.executeSql(text, values) },
      ...(store.kind === 'postgres' && {
        superviseIntervalSeconds: LOOK_SECONDS,
        monitorIntervalSeconds: LOOK_SECONDS,
      }),
    });
    boss.on('error', onError);
    await boss.start();
    await boss.createQueue(QUEUE, {
      ...{ retryLimit: 1000, retryDelay: 0, expireInSeconds: EXPIRE_SECONDS, heartbeatSeconds: HEARTBEAT_SECONDS },
    });
    // pg-boss looks the queue up before its first job, outside of a transaction: inside one that would wait for ever.
    await boss.findJobs(QUEUE, { key: '' });
    const queue = new TrainingQueue(boss, store, onError);
    if (store.kind === 'embedded') await queue.#recover();
    return queue;
  }

  /**
   * The embedded database has one process, so whatever was under way when it opens was left by a dead one: it is queued
   * anew at once. Of a shared database nobody knows that; there a missing heartbeat tells.
   */
  async #recover(): Promise<void> {
    await this.#boss.deleteAllJobs(QUEUE);
    const unfinished = await this.#store.db
      .selectFrom('trainings')
      .select('id')
      .where('status', 'in', ['queued', 'running'])
      .orderBy('created')
      .execute();
    for (const { id } of unfinished) await this.add(this.#store.db, id);
  }

  /** In the transaction that makes the training, so that there is never one without the other. */
  async add(db: Db, training: string): Promise<void> {
    await this.#boss.send(QUEUE, { training }, { singletonKey: training, db: transactionSql(db) });
  }

  /** Takes trainings, one at a time, until `close`. */
  async work(options: Omit<RunOptions, 'signal'> = {}): Promise<void> {
    await this.#boss.work<{ training: string }>(QUEUE, { pollingIntervalSeconds: 0.5 }, async ([job]) => {
      // Cancelled while it waited, or finished by a worker that died before it could say so: trying would fail, again and again.
      const { status } = await requireTraining(this.#store.db, job.data.training);
      if (status !== 'queued' && status !== 'running') return;
      try {
        await runTraining(this.#store, job.data.training, { ...options, signal: this.#stop.signal });
      } catch (error) {
        // pg-boss keeps it with the job and tries again, which nobody would see.
        if (!this.#stop.signal.aborted) this.#onError(error as Error);
        throw error;
      }
    });
  }

  /** A training under way stops at its next step and goes on elsewhere, or here after a restart. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#boss.stop({ graceful: true, timeout: 5000 });
  }
}
