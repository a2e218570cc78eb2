// [coordinator] How long questions of one member to models may compute. What was used comes back at half the speed of the clock, so a
// member that asks without a pause has half of a thread at most, in however many sessions.

/** How much of the time that passes is given back. */
const RETURNED = 0.5;

interface UsedTime {
  /** Milliseconds that were used, as of `at`. */
  used: number;
  at: number;
}

export class QuestionBudget {
  readonly #most: number;
  readonly #used = new Map<string, UsedTime>();

  /** `most`: milliseconds. */
  constructor(most: number) {
    this.#most = most;
  }

  spend(asker: string, milliseconds: number, now = performance.now()): void {
    // Whoever has everything back is forgotten.
    for (const [other, { used, at }] of this.#used) {
      if (used <= (now - at) * RETURNED) this.#used.delete(other);
    }
    this.#used.set(asker, { used: this.#left(asker, now) + milliseconds, at: now });
  }

  /** Seconds until the member may ask again; 0 if it may now. */
  wait(asker: string, now = performance.now()): number {
    const over = this.#left(asker, now) - this.#most;
    return over >= 0 ? Math.ceil(over / RETURNED / 1000) + 1 : 0;
  }

  /** What was used and has not come back. */
  #left(asker: string, now: number): number {
    const { used, at } = this.#used.get(asker) ?? { used: 0, at: now };
    return Math.max(0, used - (now - at) * RETURNED);
  }
}
