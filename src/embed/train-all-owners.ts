// [owner] Trains many owners at once, one worker thread per core. An owner's result does not depend on the others'.
import { availableParallelism } from 'node:os';
import { untilAborted } from '../base/until-aborted.ts';
import { WorkerThread } from '../base/worker-thread.ts';
import type { ModelCard, OwnerTrainingOptions } from './owner-model.ts';
import type { EpochReport, TrainRequest } from './train-worker.ts';

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
  signal?.throwIfAborted();
  const threads = run.threads ?? (Number(process.env.F3_THREADS) || availableParallelism());
  const cards: ModelCard[] = [];
  const state = { done: 0, owners: folders.length, epochs: 0 };
  const onNews = () => {
    state.epochs++;
    onProgress(state);
  };
  let next = 0;
  const trainers = Array.from({ length: Math.min(threads, folders.length) }, () => startTrainer(onNews));
  const trained = Promise.all(
    trainers.map(async (trainer) => {
      while (next < folders.length) {
        const index = next++;
        cards[index] = await trainer.ask({ folder: folders[index], options, force });
        state.done++;
        onProgress(state);
      }
    }),
  );
  try {
    await untilAborted(trained, signal);
  } finally {
    await Promise.all(trainers.map((trainer) => trainer.dispose()));
  }
  return cards;
}

function startTrainer(onNews: () => void): WorkerThread<TrainRequest, ModelCard, EpochReport> {
  return new WorkerThread(new URL('./train-worker', import.meta.url), { name: 'f3-owner', onNews });
}
