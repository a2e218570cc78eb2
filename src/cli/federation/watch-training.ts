// Watches a training on the coordinator to its end: shows progress on stderr, and says so if it waits for a worker.
import type { CoordinatorClient } from '../../exchange/client/coordinator-client.ts';
import type { TrainingStatus } from '../../exchange/messages.ts';
import { FusionProgress, type TrainingLimits } from '../fuse/fusion-progress.ts';
import { SearchProgressLines } from '../fuse/search-progress.ts';

/** A worker looks for trainings twice a second, so a longer wait has to be explained. */
const EXPLAIN_MS = 3000;

/** Ctrl-C stops watching, not the training. */
export async function watchTraining(
  client: CoordinatorClient,
  federation: string,
  id: string,
  limits: TrainingLimits,
): Promise<TrainingStatus> {
  const progress = new FusionProgress(limits);
  const searching = new SearchProgressLines();
  const waiting = new WaitingNote();
  const stop = () => {
    progress.stop();
    searching.stop();
    process.stderr.write(`f3: no longer watching; training ${id} goes on (--follow ${id}, --cancel ${id})\n`);
    process.exit(130);
  };
  process.once('SIGINT', stop);
  process.stderr.write(`training ${id}\n`);
  try {
    for await (const event of client.trainingEvents(federation, id)) {
      waiting.update(event.state === 'queued' ? event.workers : undefined);
      if (event.search) searching.update(event.search);
      const { epoch, trainLoss, validationLoss, bestEpoch, epochs = limits.epochs } = event;
      if (epoch === undefined || trainLoss === undefined || validationLoss === undefined) continue;
      progress.epoch({ epoch, trainLoss, validationLoss, bestEpoch: bestEpoch ?? epoch, epochs });
    }
  } finally {
    process.off('SIGINT', stop);
    waiting.update(undefined);
    progress.stop();
    searching.stop();
  }
  return client.training(federation, id);
}

/** Why a queued training does not begin. */
export function waitingReason(workers: number): string {
  if (workers === 0) {
    const start = 'f3 serve without --no-work trains, and so does f3 worker --database URL beside it';
    return `waiting for a worker: this coordinator has none; ${start}`;
  }
  return `waiting for a worker: ${workers === 1 ? 'the only one is' : `all ${workers} are`} busy with other trainings`;
}

/** Explains a wait once for each number of workers, and not at all if the training begins soon. */
class WaitingNote {
  #timer: NodeJS.Timeout | undefined;
  #workers: number | undefined;

  /** Undefined says that the training waits no longer. */
  update(workers: number | undefined): void {
    if (workers === this.#workers) return;
    this.#workers = workers;
    clearTimeout(this.#timer);
    if (workers === undefined) return;
    this.#timer = setTimeout(() => process.stderr.write(`${waitingReason(workers)}\n`), EXPLAIN_MS);
  }
}
