// [coordinator] Work that is done one piece after the other: whoever was served the least is next, and how many may wait is limited.

export interface FairQueueOptions {
  /** The most pieces that wait, of all askers together. */
  mostWaiting: number;
  /** The most that wait of one asker. Default: as many as may wait in all. */
  mostPerAsker?: number | undefined;
  /** The error for a piece that finds no place. */
  refusal: () => Error;
}

interface WaitingWork {
  asker: string;
  run(): Promise<void>;
}

export class FairQueue {
  readonly #options: FairQueueOptions;
  #waiting: WaitingWork[] = [];
  #isBusy = false;
  /** Milliseconds that were worked for each asker. */
  readonly #served = new Map<string, number>();

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /** Resolves or fails as the work does, when its turn has come. */
  run<T>(asker: string, work: () => Promise<T>): Promise<T> {
    const { mostWaiting, mostPerAsker = mostWaiting, refusal } = this.#options;
    const own = this.#waiting.reduce((count, waiting) => count + Number(waiting.asker === asker), 0);
    if (this.#waiting.length >= mostWaiting || own >= mostPerAsker) return Promise.reject(refusal());
    return new Promise((resolve, reject) => {
      this.#waiting.push({ asker, run: () => work().then(resolve, reject) });
      void this.#work();
    });
  }

  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let next = this.#takeNext(); next; next = this.#takeNext()) {
      const start = performance.now();
      await next.run();
      const took = performance.now() - start;
      this.#served.set(next.asker, (this.#served.get(next.asker) ?? 0) + took);
    }
    this.#isBusy = false;
    this.#served.clear(); // When nobody waits, nobody has had more than their share.
  }

  /** Takes the first work of the asker that was served the least. */
  #takeNext(): WaitingWork | undefined {
    const servedOf = ({ asker }: WaitingWork) => this.#served.get(asker) ?? 0;
    let best = 0;
    for (let i = 1; i < this.#waiting.length; i++) {
      if (servedOf(this.#waiting[i]) < servedOf(this.#waiting[best])) best = i;
    }
    return this.#waiting.splice(best, 1)[0];
  }
}
