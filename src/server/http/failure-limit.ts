// [coordinator] Counts failures by address and minute, so that guessing is slowed down and success never is.

const WINDOW_MS = 60_000;

export class FailureLimit {
  readonly #most: number;
  #failures = new Map<string, number>();
  #start = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Notes a failure and returns the seconds to wait if there were too many within the minute, else 0. */
  note(address: string, now = Date.now()): number {
    if (now - this.#start >= WINDOW_MS || now < this.#start) {
      this.#failures = new Map();
      this.#start = now;
    }
    const count = (this.#failures.get(address) ?? 0) + 1;
    this.#failures.set(address, count);
    return count > this.#most ? Math.ceil((this.#start + WINDOW_MS - now) / 1000) : 0;
  }
}
