// [coordinator] An answer that anybody may ask for as often as they like: it is made at most once at a time, and so seldom that
// making it takes little of what it is made with. Whoever asks more often is told what was found last.

/** A fifteenth of the time may go into making it. */
const REST = 14;
/** Milliseconds after which it is made anew, however long that took. */
const LONGEST_KEPT_MS = 1000;

export class SparingAnswer<T> {
  readonly #make: () => Promise<T>;
  readonly #now: () => number;
  #last: { answer: Promise<T>; until: number } | undefined;

  /** `now` gives milliseconds of any clock that does not step back. */
  constructor(make: () => Promise<T>, now = () => performance.now()) {
    this.#make = make;
    this.#now = now;
  }

  get(): Promise<T> {
    const began = this.#now();
    if (this.#last && began < this.#last.until) return this.#last.answer;
    const last = { answer: this.#make(), until: Number.POSITIVE_INFINITY };
    this.#last = last;
    const rest = () => {
      const now = this.#now();
      last.until = now + Math.min(REST * (now - began), LONGEST_KEPT_MS);
    };
    last.answer.then(rest, rest);
    return last.answer;
  }
}
