// [coordinator] Queues trainings in pg-boss, so that any process that shares the database may run them and none is lost.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { PgBoss } from 'pg-boss';
import { errorCode } from '../../errors.ts';
import { isLostDatabase } from '../../storage/database/lost-database.ts';
import type { Store } from '../../storage/database/open-database.ts';
import { transactionSql } from '../../storage/database/transaction-sql.ts';
import type { Db, TrainingRow } from '../../storage/schema.ts';
import { requireTraining } from '../../storage/trainings.ts';
import { forgetWorkers, noteWorker, removeWorker } from '../../storage/workers.ts';
import { giveUpTraining, type RunOptions, runTraining } from './run-training.ts';

const QUEUE = 'f3-training';
/** The longest that a training may run. */
const EXPIRE_SECONDS = 24 * 3600;
/** A worker that sends no heartbeat for this long is taken for dead, and its training goes to another. */
const HEARTBEAT_SECONDS = 10;
/** How often a worker says that it still has its training. */
const BEAT_MS = 3000;
/** How often dead workers are looked for. */
const SUPERVISE_SECONDS = 5;
/** A training that fails this often is given up. The death of a worker does not count, for the training need not be its cause. */
const MOST_FAILURES = 3;
/** How often a worker notes in the database that it is there. */
const NOTE_MS = 5000;
/** How often a worker that lost its training looks whether it is over. */
const LOOK_MS = 1000;
/** Pause after the first failure; after the second it is twice as long. */
const PAUSE_MS = 2000;

export interface WorkOptions extends Omit<RunOptions, 'signal'> {
  pauseMs?: number;
  /** The most trainings of one federation that run at the same time, over all workers. */
  mostRunning?: number | undefined;
}

/** A training as the queue needs it. */
export type QueuedTraining = Pick<TrainingRow, 'id' | 'federation' | 'turn'>;

export class TrainingQueue {
  readonly #boss: PgBoss;
  readonly #store: Store;
  readonly #onError: (error: Error) => void;
  readonly #stop = new AbortController();
  /** Number of failures on the coordinator's side, by training. */
  readonly #failures = new Map<string, number>();
  #removeWorker: () => Promise<void> = async () => undefined;

  private constructor(boss: PgBoss, store: Store, onError: (error: Error) => void) {
    this.#boss = boss;
    this.#store = store;
    this.#onError = onError;
  }

  static async open(store: Store, onError: (error: Error) => void): Promise<TrainingQueue> {
    const boss = new PgBoss({
      db: { executeSql: (text, values) => store.executeSql(text, values) },
      ...(store.kind === 'postgres' && {
        superviseIntervalSeconds: SUPERVISE_SECONDS,
        monitorIntervalSeconds: SUPERVISE_SECONDS,
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
    // pg-boss looks up the queue before its first job. Inside a transaction that would wait for ever, so it is done here.
    await boss.findJobs(QUEUE, { key: '' });
    const queue = new TrainingQueue(boss, store, onError);
    if (store.kind === 'embedded') await queue.recover();
    return queue;
  }

  /**
   * The embedded database has one process, so a training that is under way when it opens was left by a dead process and is
   * queued again at once. With a shared database, another process may be running it; there a missing heartbeat decides. A backup
   * holds no queue, so whoever has restored one calls this too.
   */
  async recover(): Promise<void> {
    await this.#boss.deleteAllJobs(QUEUE);
    await forgetWorkers(this.#store.db);
    const unfinished = await this.#store.db
      .selectFrom('trainings')
      .select(['id', 'federation', 'turn'])
      .where('status', 'in', ['queued', 'running'])
      .orderBy('created')
      .execute();
    for (const training of unfinished) await this.add(this.#store.db, training);
  }

  /** `db` is the transaction that creates the training, so that there is never a training without a job or the reverse. */
  async add(db: Db, { id: training, federation, turn }: QueuedTraining): Promise<void> {
    const order = { priority: -turn, group: { id: federation } };
    await this.#boss.send(QUEUE, { training }, { singletonKey: training, ...order, db: transactionSql(db) });
  }

  /** Takes trainings, one at a time, until `close`. */
  async work({ pauseMs = PAUSE_MS, mostRunning, ...given }: WorkOptions = {}): Promise<void> {
    const options = { ...given, worker: given.worker ?? `${hostname()}:${process.pid}` };
    await this.#registerWorker(options.memory);
    // Heartbeats are ours: a worker that lost its training must not say for another that it lives.
    const polling = {
      pollingIntervalSeconds: 0.5,
      heartbeatRefreshSeconds: EXPIRE_SECONDS,
      ...(mostRunning && { groupConcurrency: mostRunning }),
    };
    await this.#boss.work<{ training: string }>(QUEUE, polling, async ([job]) => {
      // The training may have been cancelled while it waited, or finished by a worker that died before it ended the job.
      const { status } = await requireTraining(this.#store.db, job.data.training);
      if (status !== 'queued' && status !== 'running') return;
      const beat = () => void this.#boss.touch(QUEUE, job.id).catch(this.#onError);
      const beating = setInterval(beat, BEAT_MS);
      try {
        await runTraining(this.#store, job.data.training, { ...options, signal: this.#stop.signal });
        this.#failures.delete(job.data.training);
      } catch (error) {
        if (this.#stop.signal.aborted) throw error;
        if (errorCode(error) === 'F3_TRAINING_STATE') {
          this.#onError(error as Error);
          clearInterval(beating);
          await this.#leaveToOther(job.id, job.data.training);
        } else await this.#failed(job.data.training, error as Error, pauseMs);
      } finally {
        clearInterval(beating);
      }
    });
  }

  /**
   * A worker that was stalled finds its training in the hands of another, and its job with it. Ending the job here would take it
   * away there, and so on in turns for ever. So it waits until the training is over, or throws when its job is free again.
   */
  async #leaveToOther(job: string, training: string): Promise<void> {
    for (;;) {
      const { status } = await requireTraining(this.#store.db, training);
      if (status !== 'queued' && status !== 'running') return;
      const [found] = await this.#boss.findJobs(QUEUE, { id: job });
      if (found?.state !== 'active')
        throw new Error(`training ${training}: must have an active job, got ${found?.state}`);
      await sleep(LOOK_MS, undefined, { signal: this.#stop.signal });
    }
  }

  /** Notes in the database that there is a worker, for whoever waits for a training. */
  async #registerWorker(memory: number | undefined): Promise<void> {
    const { db } = this.#store;
    const id = randomUUID();
    const note = () => noteWorker(db, id, memory);
    await note();
    // A failure needs no report here: whatever waits for the database fails in the same way and reports it.
    const timer = setInterval(() => void note().catch(() => undefined), NOTE_MS);
    timer.unref();
    this.#removeWorker = async () => {
      clearInterval(timer);
      await removeWorker(db, id).catch(() => undefined);
    };
  }

  /** Throws after a pause so that the training is tried again by any free worker, or gives the training up. */
  async #failed(training: string, error: Error, pauseMs: number): Promise<void> {
    this.#onError(error); // pg-boss stores the error with the job, where nobody would see it
    // A lost database does not count as a failure of the training.
    const isOurs = !isLostDatabase(error);
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

  /** Tells a training that is under way to stop. What closes after it need not wait for the training. */
  stop(): void {
    this.#stop.abort();
  }

  /**
   * A training that is under way stops at its next step, or is cut off after a grace time, and continues in another worker or
   * after a restart.
   */
  async close(): Promise<void> {
    this.stop();
    await this.#boss.stop({ graceful: true, timeout: 5000 });
    await this.#removeWorker();
  }
}
