// [coordinator] Trainings wait in pg-boss, so that any process that shares the database may take them, and none is lost.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PgBoss } from 'pg-boss';
import { errorCode } from '../../errors.ts';
import { isLostDatabase } from '../../storage/database/lost-database.ts';
import type { Store } from '../../storage/database/open-database.ts';
import { transactionSql } from '../../storage/database/transaction-sql.ts';
import type { Db } from '../../storage/schema.ts';
import { requireTraining } from '../../storage/trainings.ts';
import { forgetWorkers, noteWorker, removeWorker } from '../../storage/workers.ts';
import { giveUpTraining, type RunOptions, runTraining } from './run-training.ts';

const QUEUE = 'f3-training';
/** A worker that has not said that it lives for this long is taken for dead, and its training goes to another. */
const EXPIRE_SECONDS = 24 * 3600;
const HEARTBEAT_SECONDS = 10;
/** How often somebody looks for such workers. */
const LOOK_SECONDS = 5;
/** A worker that was killed says nothing of the training, one that fails this often at it does. */
const MOST_FAILURES = 3;
/** How often a worker notes that it is there. */
const NOTE_MS = 5000;
/** After the first failure; after the second twice as long. */
const PAUSE_MS = 2000;

export interface WorkOptions extends Omit<RunOptions, 'signal'> {
  pauseMs?: number;
}

export class TrainingQueue {
  readonly #boss: PgBoss;
  readonly #store: Store;
  readonly #onError: (error: Error) => void;
  readonly #stop = new AbortController();
  /** Failures of ours, by training. */
  readonly #failures = new Map<string, number>();
  #endLife: () => Promise<void> = async () => undefined;

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
      retryLimit: 1000,
      retryDelay: 0,
      expireInSeconds: EXPIRE_SECONDS,
      heartbeatSeconds: HEARTBEAT_SECONDS,
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
    await forgetWorkers(this.#store.db);
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
  async work({ pauseMs = PAUSE_MS, ...options }: WorkOptions = {}): Promise<void> {
    await this.#showLife();
    await this.#boss.work<{ training: string }>(QUEUE, { pollingIntervalSeconds: 0.5 }, async ([job]) => {
      // Cancelled while it waited, or finished by a worker that died before it could say so: trying would fail, again and again.
      const { status } = await requireTraining(this.#store.db, job.data.training);
      if (status !== 'queued' && status !== 'running') return;
      try {
        await runTraining(this.#store, job.data.training, { ...options, signal: this.#stop.signal });
        this.#failures.delete(job.data.training);
      } catch (error) {
        if (this.#stop.signal.aborted) throw error;
        await this.#failed(job.data.training, error as Error, pauseMs);
      }
    });
  }

  /** From now on whoever waits for a training can see that there is a worker. */
  async #showLife(): Promise<void> {
    const { db } = this.#store;
    const id = randomUUID();
    await noteWorker(db, id);
    // A database that is away is noticed where somebody waits for it.
    const timer = setInterval(() => void noteWorker(db, id).catch(() => undefined), NOTE_MS);
    timer.unref();
    this.#endLife = async () => {
      clearInterval(timer);
      await removeWorker(db, id).catch(() => undefined);
    };
  }

  /** Throws to have it tried again, by whoever is free then, but not at once and not for ever. */
  async #failed(training: string, error: Error, pauseMs: number): Promise<void> {
    this.#onError(error); // pg-boss keeps it with the job, where nobody would see it
    // A database that is away, or another worker that has taken over, says nothing of the training either.
    const isOurs = !isLostDatabase(error) && errorCode(error) !== 'F3_TRAINING_STATE';
    const failures = (this.#failures.get(training) ?? 0) + (isOurs ? 1 : 0);
    if (isOurs && failures === MOST_FAILURES) {
      await giveUpTraining(this.#store.db, training, failures);
      this.#failures.delete(training);
      return;
    }
    this.#failures.set(training, failures);
    await sleep(pauseMs * Math.max(1, failures), undefined, { signal: this.#stop.signal }).catch(() => undefined);
    throw error;
  }

  /** A training under way stops at its next step and goes on elsewhere, or here after a restart. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#boss.stop({ graceful: true, timeout: 5000 });
    await this.#endLife();
  }
}
