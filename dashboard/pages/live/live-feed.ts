// Predictions as they come: a ring of the last ones and counts, taken in as fast as they come and shown a few times a second.
import { signal } from '@preact/signals';
import type { LiveEvent, LivePrediction } from '../../../src/exchange/messages/live-events.ts';
import { openEvents } from '../../coordinator/event-stream.ts';
import { inFederation } from '../../coordinator/request.ts';

/** So many predictions are kept for the table and the charts. */
const KEPT = 600;
const SHOW_MS = 200;
/** The pace is measured over so long. */
const WINDOW_MS = 5000;

export interface LiveState {
  classes: string[];
  /** The newest last. */
  predictions: LivePrediction[];
  /** Predictions since the page was opened, those that were left out included. */
  total: number;
  late: number;
  perSecond: number;
}

const EMPTY: LiveState = { classes: [], predictions: [], total: 0, late: 0, perSecond: 0 };

export class LiveFeed {
  readonly state = signal<LiveState>(EMPTY);
  readonly isPaused = signal(false);
  #ring: LivePrediction[] = [];
  #classes: string[] = [];
  #total = 0;
  #late = 0;
  #arrivals: [at: number, count: number][] = [];
  #hasNews = false;

  open(federation: string): () => void {
    const close = openEvents<LiveEvent>(inFederation(federation, 'live', 'events'), (event) => this.take(event));
    const timer = setInterval(() => this.#show(), SHOW_MS);
    return () => {
      close();
      clearInterval(timer);
    };
  }

  take({ classes, predictions, skipped }: LiveEvent): void {
    this.#classes = classes;
    this.#total += predictions.length + skipped;
    for (const prediction of predictions) {
      this.#ring.push(prediction);
      if (prediction.isLate) this.#late++;
    }
    if (this.#ring.length > 2 * KEPT) this.#ring = this.#ring.slice(-KEPT);
    this.#arrivals.push([performance.now(), predictions.length + skipped]);
    this.#hasNews = true;
  }

  #show(): void {
    const now = performance.now();
    this.#arrivals = this.#arrivals.filter(([at]) => now - at < WINDOW_MS);
    const perSecond = this.#arrivals.reduce((sum, [, count]) => sum + count, 0) / (WINDOW_MS / 1000);
    if (this.isPaused.value || (!this.#hasNews && perSecond === this.state.value.perSecond)) return;
    this.#hasNews = false;
    this.state.value = {
      classes: this.#classes,
      predictions: this.#ring.slice(-KEPT),
      total: this.#total,
      late: this.#late,
      perSecond,
    };
  }
}
