// Gathers what is asked for in one moment, and while earlier batches are under way, into one call.

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export interface BatchOptions {
  /** Items of a batch; more wait for the next one. */
  most: number;
  /** Batches at a time: while one is worked on, the next lies ready. */
  underWay: number;
}

export class Batches<Item, Result> {
  readonly #run: (items: Item[]) => Promise<readonly Result[]>;
  readonly #options: BatchOptions;
  #waiting: Waiting<Item, Result>[] = [];
  #underWay = 0;

  /** `run` gives one result per item, in their order; when it fails, all of its items have failed. */
  constructor(run: (items: Item[]) => Promise<readonly Result[]>, options: BatchOptions) {
    this.#run = run;
    this.#options = options;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#waiting.length === 1) this.#next();
    });
  }

  /** Not at once: others of this moment may follow. */
  #next(): void {
    setImmediate(() => this.#start());
  }

  async #start(): Promise<void> {
    const { most, underWay } = this.#options;
    if (this.#waiting.length === 0 || this.#underWay === underWay) return;
    const batch = this.#waiting.splice(0, most);
    if (this.#waiting.length > 0) this.#next();
    this.#underWay++;
    try {
      const results = await this.#run(batch.map(({ item }) => item));
      for (const [i, { resolve }] of batch.entries()) resolve(results[i]);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    this.#underWay--;
    this.#next();
  }
}
