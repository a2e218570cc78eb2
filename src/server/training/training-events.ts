// [coordinator] Tells a listener of a training whatever changes, until it is over. A slow listener is told less often.
import { setTimeout as sleep } from 'node:timers/promises';
import { F3Error } from '../../errors.ts';
import type { Db, JsonObject } from '../../storage/schema.ts';
import { findWatchedTraining, type TrainingSummary, type WatchedTraining } from '../../storage/trainings.ts';
import { countWorkers } from '../../storage/workers.ts';
import type { SharedReads } from '../shared-reads.ts';
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
  /** Who is told the worker's name. */
  isOperator: boolean;
  /** Number of the last point of the curve that the listener has. */
  seen: number;
  /** The label holders of whose labels the listener is told everything now; undefined once it may not listen any more. */
  mayKnow: () => Promise<ReadonlySet<string> | undefined>;
  ending: AbortSignal;
}

/** Sends each change of state and progress until the training is over, the listener leaves or is revoked, or the server ends. */
export async function sendEvents(
  db: Db,
  reads: SharedReads,
  federation: string,
  id: string,
  listener: EventListener,
): Promise<void> {
  const { to, isOperator, mayKnow, ending } = listener;
  const find = async () => {
    const training = await ownTraining(db, federation, id);
    return new ToldTraining(training, training.status === 'queued' ? await countWorkers(db) : undefined);
  };
  let { seen } = listener;
  let exact: ReadonlySet<string> = new Set();
  let last = '';
  let quiet = 0;
  while (!to.destroyed && !ending.aborted) {
    // What a listener does not read would pile up in memory. It is told how things stand when it reads on, or cut as idle.
    if (to.writableNeedDrain) {
      await sleep(POLL_MS);
      continue;
    }
    const told = await reads.read(`training ${federation} ${id}`, find, POLL_MS);
    quiet += POLL_MS;
    if (last === '' || told.event(exact, isOperator) !== last || quiet >= KEEP_ALIVE_MS) {
      const known = await mayKnow();
      if (!known) return;
      // What is told of labels may have changed since the last event.
      exact = known;
      const event = told.event(exact, isOperator);
      if (event === last) to.write(': still here\n\n');
      else {
        const { text, newest } = told.message(exact, isOperator, seen);
        seen = newest;
        to.write(text);
      }
      quiet = 0;
      last = event;
    }
    if (told.isOver) return;
    await sleep(POLL_MS);
  }
}

/** How a training stood at one moment. It is put into words once for all who are told the same. */
class ToldTraining {
  readonly #training: WatchedTraining;
  readonly #workers: number | undefined;
  readonly #said = new Map<string, unknown>();

  constructor(training: WatchedTraining, workers: number | undefined) {
    this.#training = training;
    this.#workers = workers;
  }

  get isOver(): boolean {
    return this.#training.status !== 'queued' && this.#training.status !== 'running';
  }

  /** All but the curve, as JSON. */
  event(exact: ReadonlySet<string>, isOperator: boolean): string {
    return this.#once(`event ${this.#reader(exact)} ${isOperator}`, () => {
      const { state, progress, model, promotion, error } = stateOf(this.#training, exact);
      const { place, worker } = this.#training;
      return JSON.stringify({
        state,
        ...progress,
        ...(model && { model, promotion }),
        ...(error && { error }),
        ...(state === 'queued' && { workers: this.#workers, place }),
        ...(state !== 'queued' && isOperator && worker !== null && { worker }),
      });
    });
  }

  /** The event with the points of the curve after `seen`, as it is sent, and the number of the newest point. */
  message(exact: ReadonlySet<string>, isOperator: boolean, seen: number): { text: string; newest: number } {
    return this.#once(`message ${this.#reader(exact)} ${isOperator} ${seen}`, () => {
      const event = this.event(exact, isOperator);
      const points = this.#curve(exact).filter(({ number }) => Number(number) > seen);
      const newest = Number(points.at(-1)?.number ?? seen);
      const data = points.length > 0 ? JSON.stringify({ ...JSON.parse(event), points }) : event;
      return { text: `id: ${newest}\ndata: ${data}\n\n`, newest };
    });
  }

  #curve(exact: ReadonlySet<string>): JsonObject[] {
    return this.#once(`curve ${this.#reader(exact)}`, () => toldCurve(this.#training, exact));
  }

  /** Readers are told everything or as much as all others. */
  #reader(exact: ReadonlySet<string>): string {
    const holder = this.#training.disclosure?.holder;
    return typeof holder === 'string' && exact.has(holder) ? 'exact' : 'rounded';
  }

  #once<T>(what: string, say: () => T): T {
    if (!this.#said.has(what)) this.#said.set(what, say());
    return this.#said.get(what) as T;
  }
}
