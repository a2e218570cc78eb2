// Gathers into one call what is asked for in one moment, and what is asked for while earlier calls are under way.

interface WaitingItem<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export interface BatchOptions {
  /** The most items of a batch; further ones wait for the next batch. */
  maxItems: number;
  /** The most batches at a time: while they are worked on, the next one gathers. */
  maxUnderWay: number;
}

export class Batches<Item, Result> {
  readonly #run: (items: Item[]) => Promise<readonly Result[]>;
  readonly #options: BatchOptions;
  #waiting: WaitingItem<Item, Result>[] = [];
  #underWay = 0;

  /** `run` gives one result per item, in their order; when it fails, all of its items have failed. */
  constructor(run: (items: Item[]) => Promise<readonly Result[]>, options: BatchOptions) {
    this.#run = run;
    this.#options = options;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#waiting.length === 1) this.#schedule();
    });
  }

  /** A batch does not start at once, because other items of this moment may follow. */
  #schedule(): void {
    setImmediate(() => this.#start());
  }

  async #start(): Promise<void> {
    const { maxItems, maxUnderWay } = this.#options;
    if (this.#waiting.length === 0 || this.#underWay === maxUnderWay) return;
    const batch = this.#waiting.splice(0, maxItems);
    if (this.#waiting.length > 0) this.#schedule();
    this.#underWay++;
    try {
      const results = await this.#run(batch.map(({ item }) => item));
      for (const [i, { resolve }] of batch.entries()) resolve(results[i]);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    this.#underWay--;
    this.#schedule();
  }
}
