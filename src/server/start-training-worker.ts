// [coordinator] A process that trains for coordinators which share its PostgreSQL database; `f3 worker` is one.

import { STANDARD_QUOTAS } from '../exchange/quotas.ts';
import { openDatabase } from '../storage/database/open-database.ts';
import { defaultTrainingMemory } from './training/require-memory.ts';
import { TrainingQueue } from './training/training-queue.ts';

/** From which database a worker takes trainings. */
export interface TrainingWorkerOptions {
  /** postgres://…, the one that the coordinators use. */
  database: string;
  /** What people call it, shown with the trainings that it takes. By default the machine's name and the id of the process. */
  name?: string | undefined;
  /** Threads of a training. By default the environment variable `F3_THREADS` decides, else there is one per core. */
  threads?: number | undefined;
  /** Bytes that a training may take. By default half of the machine's memory, and 4 GiB at most. */
  trainingMemory?: number | undefined;
  /** The most trainings of one federation that run at the same time, over all workers. Default: 4. */
  mostRunning?: number | undefined;
  /** Called with each error of a training or of the queue; the worker goes on. */
  onError?: ((error: Error) => void) | undefined;
}

/** A worker that takes trainings. */
export interface RunningWorker {
  /** A training under way stops at its next step; another worker goes on from its checkpoint. */
  close(): Promise<void>;
}

/** Takes trainings one at a time until it is closed. */
export async function startTrainingWorker(options: TrainingWorkerOptions): Promise<RunningWorker> {
  const { database, name: worker, threads, onError = () => undefined } = options;
  const { trainingMemory: memory = defaultTrainingMemory() } = options;
  const { mostRunning = STANDARD_QUOTAS.federationRunning } = options;
  const store = await openDatabase({ kind: 'postgres', url: database });
  // Whatever was opened is closed again, last first, at the end and when the start fails.
  const opened = [() => store.close()];
  const close = async () => {
    for (const end of opened.splice(0).reverse()) await end();
  };
  try {
    const queue = await TrainingQueue.open(store, onError);
    opened.push(() => queue.close());
    await queue.work({ worker, threads, memory, mostRunning });
    return { close };
  } catch (error) {
    await close();
    throw error;
  }
}
