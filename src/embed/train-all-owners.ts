// [owner] Trains many owners at once, one worker thread per core. An owner's result does not depend on the others'.
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { startWorker } from '../base/start-worker.ts';
import { type ErrorCode, F3Error } from '../errors.ts';
import type { ModelCard, OwnerTrainingOptions } from './owner-model.ts';
import type { TrainReply, TrainRequest } from './train-worker.ts';

export interface TrainAllProgress {
  /** Owners finished, those found finished included. */
  done: number;
  owners: number;
  /** Epochs run so far by owners still in training. */
  epochs: number;
}

export interface TrainAllOptions {
  options: OwnerTrainingOptions;
  force?: boolean;
  /** Default: `F3_THREADS`, else all cores. */
  threads?: number;
  onProgress?: (progress: TrainAllProgress) => void;
  /** Ends the run at once; finished owners are kept. */
  signal?: AbortSignal | undefined;
}

/** folders: one per owner. Cards come back in the same order. The first failure ends the run; finished owners are kept. */
export async function trainAllOwners(folders: readonly string[], run: TrainAllOptions): Promise<ModelCard[]> {
  const { options, force = false, onProgress = () => undefined, signal } = run;
  const threads = run.threads ?? (Number(process.env.F3_THREADS) || availableParallelism());
  const cards: ModelCard[] = [];
  const state = { done: 0, owners: folders.length, epochs: 0 };
  let next = 0;
  const workers = Array.from({ length: Math.min(threads, folders.length) }, trainingWorker);
  const listening = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { signal: listening.signal });
  });
  try {
    signal?.throwIfAborted();
    const trained = Promise.all(
      workers.map(async (worker) => {
        while (next < folders.length) {
          const index = next++;
          cards[index] = await trainOn(worker, { folder: folders[index], options, force }, () => {
            state.epochs++;
            onProgress(state);
          });
          state.done++;
          onProgress(state);
        }
      }),
    );
    await Promise.race([trained, aborted]);
  } finally {
    listening.abort();
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
  return cards;
}

function trainingWorker(): Worker {
  return startWorker(new URL(`./train-worker${extname(import.meta.url)}`, import.meta.url), { name: 'f3-owner' });
}

function trainOn(worker: Worker, request: TrainRequest, onEpoch: () => void): Promise<ModelCard> {
  return new Promise((resolve, reject) => {
    const onReply = (reply: TrainReply) => {
      if (reply.kind === 'epoch') return onEpoch();
      // Named listeners only: removing all would take Node's own, which keep the thread's port open.
      worker.off('message', onReply).off('error', reject).off('exit', onExit);
      if (reply.kind === 'done') resolve(reply.card);
      else reject(reply.code ? new F3Error(reply.code as ErrorCode, reply.message) : new Error(reply.message));
    };
    const onExit = (code: number) => reject(new Error(`owner training: a worker ended with code ${code}`));
    worker.on('message', onReply).on('error', reject).on('exit', onExit);
    worker.postMessage(request);
  });
}
