// [coordinator] Tells a listener of a training whatever changes, until it is over. A slow listener is told less often.
import { setTimeout as sleep } from 'node:timers/promises';
import { F3Error } from '../../errors.ts';
import type { Db } from '../../storage/schema.ts';
import { findWatchedTraining, type TrainingSummary, type WatchedTraining } from '../../storage/trainings.ts';
import { countWorkers } from '../../storage/workers.ts';
import { toldCurve, toldProgress } from './disclosure.ts';

const POLL_MS = 250;
/** A comment this often keeps proxies from closing an idle connection. */
const KEEP_ALIVE_MS = 15_000;

export async function ownTraining(db: Db, federation: string, id: string): Promise<WatchedTraining> {
  const training = await findWatchedTraining(db, id);
  if (training?.federation === federation) return training;
  throw new F3Error('F3_TRAINING_UNKNOWN', `training ${id}: must exist, got an unknown one`);
}

/** `exact`: the label holders of whose labels the reader is told everything. */
export function stateOf(training: Omit<TrainingSummary, 'place'>, exact: ReadonlySet<string>) {
  const { id, status, modelVersion, promotion, error } = training;
  return { id, state: status, progress: toldProgress(training, exact), model: modelVersion, promotion, error };
}

export const timesOf = ({ created, started, finished }: Pick<TrainingSummary, 'created' | 'started' | 'finished'>) => ({
  created,
  started,
  finished,
});

export interface EventListener {
  to: NodeJS.WritableStream & { destroyed?: boolean; writableNeedDrain?: boolean };
  exact: ReadonlySet<string>;
  /** Who is told the worker's name. */
  isOperator: boolean;
  /** Number of the last point of the curve that the listener has. */
  seen: number;
  isMember: () => Promise<boolean>;
  ending: AbortSignal;
}

/** Sends each change of state and progress until the training is over, the listener leaves or is revoked, or the server ends. */
export async function sendEvents(db: Db, federation: string, id: string, listener: EventListener): Promise<void> {
  const { to, exact, isOperator, isMember, ending } = listener;
  let { seen } = listener;
  let last = '';
  let quiet = 0;
  while (!to.destroyed && !ending.aborted) {
    // What a listener does not read would pile up in memory. It is told how things stand when it reads on, or cut as idle.
    if (to.writableNeedDrain) {
      await sleep(POLL_MS);
      continue;
    }
    const training = await ownTraining(db, federation, id);
    const { state, progress, model, promotion, error } = stateOf(training, exact);
    const points = toldCurve(training, exact).filter(({ number }) => Number(number) > seen);
    const event = JSON.stringify({
      state,
      ...progress,
      ...(model && { model, promotion }),
      ...(error && { error }),
      ...(state === 'queued' && { workers: await countWorkers(db), place: training.place }),
      ...(state !== 'queued' && isOperator && training.worker !== null && { worker: training.worker }),
    });
    const withPoints = points.length > 0 ? JSON.stringify({ ...JSON.parse(event), points }) : event;
    quiet += POLL_MS;
    if (event !== last || quiet >= KEEP_ALIVE_MS) {
      if (!(await isMember())) return;
      if (event === last) to.write(': still here\n\n');
      else {
        seen = Number(points.at(-1)?.number ?? seen);
        to.write(`id: ${seen}\ndata: ${withPoints}\n\n`);
      }
      quiet = 0;
    }
    last = event;
    if (state !== 'queued' && state !== 'running') return;
    await sleep(POLL_MS);
  }
}
