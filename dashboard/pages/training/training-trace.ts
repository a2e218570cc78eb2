// What was seen of a training: its epochs and a log, from events that resume; kept while the page is open, whatever it shows.
import { signal } from '@preact/signals';
import { FINAL_PHASES, type TrainingEvent, type TrainingPhase } from '../../../src/exchange/messages/trainings.ts';
import { openEvents } from '../../coordinator/event-stream.ts';
import { inFederation } from '../../coordinator/request.ts';
import { shownNumber } from '../../words/numbers.ts';

/** An epoch of a training. Fits are counted from 0; a training may make several, one after the other. */
export interface Epoch {
  fit: number;
  epoch: number;
  trainLoss: number | null;
  validationLoss: number | null;
}

export interface LogLine {
  at: string;
  text: string;
}

export const isOver = (state: TrainingPhase | undefined): boolean =>
  (FINAL_PHASES as readonly string[]).includes(state ?? '');

export class TrainingTrace {
  readonly epochs = signal<Epoch[]>([]);
  readonly log = signal<LogLine[]>([]);
  readonly latest = signal<TrainingEvent>({});
  #fit = 0;
  #close: (() => void) | undefined;
  #readers = 0;

  /** Follows the training's events until the returned function is called, or it is over. */
  follow(federation: string, id: string): () => void {
    this.#readers++;
    if (this.#readers === 1 && !isOver(this.latest.value.state)) {
      this.#close = openEvents<TrainingEvent>(inFederation(federation, 'trainings', id, 'events'), (event) =>
        this.take(event),
      );
    }
    return () => {
      this.#readers--;
      if (this.#readers === 0) this.#close?.();
    };
  }

  /** Takes an event; false when it was the last one. */
  take(event: TrainingEvent): boolean {
    const before = this.latest.value;
    this.latest.value = { ...(event.state === before.state ? before : {}), ...event };
    if (event.state && event.state !== before.state) this.note(STATE_WORDS[event.state]);
    if (event.search && event.search.done !== before.search?.done) {
      const { done, total, best } = event.search;
      this.note(`${done}${total ? ` of ${total}` : ''} fits tried${best ? `, the best is ${best.name}` : ''}`);
    }
    if (event.epoch !== undefined) this.#takeEpoch(event);
    if (event.error) this.note(String((event.error as { message?: string }).message ?? event.error));
    return !isOver(this.latest.value.state);
  }

  /** Takes the epochs that the coordinator kept, where it has more of them. */
  fill(epochs: Epoch[]): void {
    if (epochs.length <= this.epochs.value.length) return;
    this.epochs.value = epochs;
    this.#fit = epochs.at(-1)?.fit ?? 0;
  }

  #takeEpoch(event: TrainingEvent): void {
    const { epoch = 0, bestEpoch } = event;
    const [trainLoss, validationLoss] = [event.trainLoss ?? null, event.validationLoss ?? null];
    const last = this.epochs.value.at(-1);
    if (last && last.fit === this.#fit && last.epoch === epoch) return;
    if (last && epoch < last.epoch) {
      this.#fit++;
      this.note(`Fit ${this.#fit + 1} began`);
    }
    this.epochs.value = [...this.epochs.value, { fit: this.#fit, epoch, trainLoss, validationLoss }];
    if (bestEpoch === epoch)
      this.note(`Epoch ${epoch}: the lowest validation loss so far, ${shownNumber(validationLoss)}`);
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
