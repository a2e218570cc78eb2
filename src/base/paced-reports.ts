// Passes reports on at a bounded rate. Between two of them only the newest is kept, and the last one always arrives.

export interface PacedReportsOptions {
  /** Least time between two reports. */
  intervalMs: number;
  /** The time in milliseconds, from any start. */
  now?: (() => number) | undefined;
}

export class PacedReports<Report> {
  readonly #pass: (report: Report) => void;
  readonly #intervalMs: number;
  readonly #now: () => number;
  #next = Number.NEGATIVE_INFINITY;
  #waiting: { report: Report } | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(pass: (report: Report) => void, { intervalMs, now = () => performance.now() }: PacedReportsOptions) {
    this.#pass = pass;
    this.#intervalMs = intervalMs;
    this.#now = now;
  }

  /** Passes the report on at once, or after the pause unless a newer one replaces it. */
  add(report: Report): void {
    this.#waiting = { report };
    const wait = this.#next - this.#now();
    if (wait <= 0) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), wait);
  }

  /** Passes on what waits. Whoever ends calls it, so that the last report is not lost. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.#waiting;
    if (!waiting) return;
    this.#waiting = undefined;
    this.#next = this.#now() + this.#intervalMs;
    this.#pass(waiting.report);
  }
}
