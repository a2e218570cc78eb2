// [coordinator] The time by which tokens are judged: the system's clock, which may step, made to never go back.

/** A clock that is behind by more leaves an honest token less than half of its minute. */
export const MOST_BEHIND_MS = 30_000;

export class SteadyClock {
  readonly #system: () => number;
  /** The latest time that was shown. */
  #mark: number;

  /** `mark` is a time that was lived through before. */
  constructor(mark = new Date(0), system: () => number = Date.now) {
    this.#system = system;
    this.#mark = mark.getTime();
  }

  now(): Date {
    this.#mark = Math.max(this.#mark, this.#system());
    return new Date(this.#mark);
  }

  /** What the system's clock shows. */
  system(): Date {
    return new Date(this.#system());
  }

  /** Milliseconds by which the system's clock is behind the latest time that was shown. */
  behind(): number {
    return Math.max(0, this.#mark - this.#system());
  }
}
