// What was seen of a training: its epochs and a log, from events that resume; kept while the page is open, whatever it shows.
import { signal } from '@preact/signals';
import type { CurvePoint } from '../../../src/exchange/messages/training-list.ts';
import { FINAL_PHASES, type TrainingEvent, type TrainingPhase } from '../../../src/exchange/messages/trainings.ts';
import { openEvents } from '../../coordinator/event-stream.ts';
import { ask, inFederation } from '../../coordinator/request.ts';
import { shownNumber } from '../../words/numbers.ts';

export interface LogLine {
  at: string;
  text: string;
}

export const isOver = (state: TrainingPhase | undefined): boolean =>
  (FINAL_PHASES as readonly string[]).includes(state ?? '');

/** An event with the epochs since the one before it. */
type CurveEvent = TrainingEvent & { points?: CurvePoint[] };

export class TrainingTrace {
  /** By their number, which rises over all fits of the training. */
  readonly epochs = signal<CurvePoint[]>([]);
  readonly log = signal<LogLine[]>([]);
  readonly latest = signal<TrainingEvent>({});
  #close: (() => void) | undefined;
  #readers = 0;

  /** Follows the training's events until the returned function is called, or it is over. */
  follow(federation: string, id: string): () => void {
    this.#readers++;
    if (this.#readers === 1 && !isOver(this.latest.value.state)) {
      const path = inFederation(federation, 'trainings', id, 'events');
      this.#close = openEvents<CurveEvent>(path, (event) => this.take(event));
    }
    return () => {
      this.#readers--;
      if (this.#readers === 0) this.#close?.();
    };
  }

  /** Takes an event; false when it was the last one. */
  take({ points = [], ...event }: CurveEvent): boolean {
    const before = this.latest.value;
    this.latest.value = { ...before, ...event };
    if (event.state && event.state !== before.state) this.note(STATE_WORDS[event.state]);
    if (event.search && event.search.done !== before.search?.done) {
      const { done, total, best } = event.search;
      this.note(`${done}${total ? ` of ${total}` : ''} fits tried${best ? `, the best is ${best.name}` : ''}`);
    }
    this.fill(points);
    const { bestEpoch, epoch, validationLoss } = event;
    if (epoch !== undefined && bestEpoch === epoch && before.bestEpoch !== epoch) {
      this.note(`Epoch ${epoch}: the lowest validation loss so far, ${shownNumber(validationLoss)}`);
    }
    if (event.error) this.note(String((event.error as { message?: string }).message ?? event.error));
    return !isOver(this.latest.value.state);
  }

  /** Adds epochs that were not known; a training that went on from its checkpoint repeats some. */
  fill(points: readonly CurvePoint[]): void {
    if (points.length === 0) return;
    const known = new Map(this.epochs.value.map((point) => [point.number, point]));
    for (const point of points) known.set(point.number, point);
    this.epochs.value = [...known.values()].sort((one, other) => one.number - other.number);
  }

  /** Asks for the epochs that the coordinator kept: for pages opened late, and runs that ended long ago. */
  async recall(federation: string, id: string): Promise<void> {
    const path = inFederation(federation, 'trainings', id);
    const { curve = [] } = await ask<{ curve?: CurvePoint[] }>(path).catch((): { curve?: CurvePoint[] } => ({}));
    this.fill(curve);
  }

  note(text: string): void {
    this.log.value = [...this.log.value.slice(-499), { at: new Date().toISOString(), text }];
  }
}

const STATE_WORDS: Record<TrainingPhase, string> = {
  queued: 'Waits for a worker',
  running: 'Began',
  done: 'Done',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

const traces = new Map<string, TrainingTrace>();

export function traceOf(id: string): TrainingTrace {
  const trace = traces.get(id) ?? new TrainingTrace();
  traces.set(id, trace);
  return trace;
}
