// [coordinator] Counts what somebody does by the minute: wrong codes by address, so that guessing is slowed down and success never is, and
// codes of the dashboard by member.

const WINDOW_MS = 60_000;

export class MinuteLimit {
  readonly #most: number;
  #counts = new Map<string, number>();
  #start = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Notes one more and returns the seconds to wait if there were too many within the minute, else 0. */
  note(who: string, now = Date.now()): number {
    if (now - this.#start >= WINDOW_MS || now < this.#start) {
      this.#counts = new Map();
      this.#start = now;
    }
    const count = (this.#counts.get(who) ?? 0) + 1;
    this.#counts.set(who, count);
    return count > this.#most ? Math.ceil((this.#start + WINDOW_MS - now) / 1000) : 0;
  }
}
