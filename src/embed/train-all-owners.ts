// [owner] Trains many owners at once, one worker thread per core. An owner's result does not depend on the others'.
import { availableParallelism } from 'node:os';
import { untilAborted } from '../base/until-aborted.ts';
import { WorkerThread } from '../base/worker-thread.ts';
import type { ModelCard, OwnerTrainingOptions } from './owner-model.ts';
import type { OwnerCandidate } from './owner-search.ts';
import type { TrainRequest } from './train-worker.ts';

/** How far the training of many owners is. */
export interface TrainAllProgress {
  /** Owners that are finished, also those that were before this run. */
  done: number;
  owners: number;
  /** Epochs that have ended, over all owners. */
  epochs: number;
}

/** How to train many owners at once. */
export interface TrainAllOptions {
  options: OwnerTrainingOptions;
  /** Each owner tries these in turn and keeps what does best on its own validation part (`searchOwner`). */
  candidates?: readonly OwnerCandidate[] | undefined;
  force?: boolean;
  /** Owners trained at once. By default the environment variable `F3_THREADS` decides, else there is one per core. */
  threads?: number | undefined;
  onProgress?: (progress: TrainAllProgress) => void;
  /** Ends the run early. Owners that are finished are kept. */
  signal?: AbortSignal | undefined;
}

/** folders: one per owner; cards have the same order. The first failure ends the run. Finished owners are kept. */
export async function trainAllOwners(folders: readonly string[], run: TrainAllOptions): Promise<ModelCard[]> {
  const { options, candidates, force = false, onProgress = () => undefined, signal } = run;
  signal?.throwIfAborted();
  const threads = run.threads ?? (Number(process.env.F3_THREADS) || availableParallelism());
  const cards: ModelCard[] = [];
  const state = { done: 0, owners: folders.length, epochs: 0 };
  const onReport = () => {
    state.epochs++;
    onProgress(state);
  };
  let next = 0;
  const trainers = Array.from({ length: Math.min(threads, folders.length) }, () => startTrainer(onReport));
  const trained = Promise.all(
    trainers.map(async (trainer) => {
      while (next < folders.length) {
        const index = next++;
        cards[index] = await trainer.ask({ folder: folders[index], options, candidates, force });
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

/** The thread reports the numbers of epochs that have ended. */
function startTrainer(onReport: () => void): WorkerThread<TrainRequest, ModelCard, number> {
  return new WorkerThread(new URL('./train-worker', import.meta.url), { name: 'f3-owner', onReport });
}
