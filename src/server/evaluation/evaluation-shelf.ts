// [coordinator] Stored models that people ask about, each ready in a thread: the few that were asked about last.
import { F3Error } from '../../errors.ts';
import type { Store } from '../../storage/database/open-database.ts';
import type { ServerLimits } from '../server-limits.ts';
import { EvaluatedModel } from './evaluated-model.ts';
import { QuestionBudget } from './question-budget.ts';
import { storedSource, type ToldPart, toldPart } from './stored-source.ts';

/** Two are compared side by side. */
const MOST_OPEN = 3;
const IDLE_MS = 10 * 60_000;
/** Models that people ask about at the same time: each has a thread and its part of the samples in memory. */
const MOST_IN_USE = 6;

interface Shelved {
  opened: Promise<OpenModel>;
  used: number;
  users: number;
}

export interface OpenModel {
  model: EvaluatedModel;
  /** How much of the part is told to readers who are not told everything. */
  told(asker: string): Promise<ToldPart>;
}

export class EvaluationShelf {
  readonly #store: Store;
  readonly #shelf = new Map<string, Shelved>();
  readonly #timer: NodeJS.Timeout;

  /** How long questions of each member have computed. */
  readonly budget: QuestionBudget;

  constructor(store: Store, { questionMs }: Pick<ServerLimits, 'questionMs'>) {
    this.#store = store;
    this.budget = new QuestionBudget(questionMs);
    this.#timer = setInterval(() => this.#tidy(Date.now() - IDLE_MS, MOST_OPEN), 60_000).unref();
  }

  /** A model stays open while somebody uses it. */
  async use<T>(federation: string, version: number, work: (open: OpenModel) => Promise<T>): Promise<T> {
    const key = `${federation}/${version}`;
    const shelved = this.#shelf.get(key) ?? this.#placeIfRoom(key, federation, version);
    shelved.users++;
    try {
      return await work(await shelved.opened);
    } finally {
      shelved.users--;
      shelved.used = Date.now();
      this.#tidy(0, MOST_OPEN);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    const open = [...this.#shelf.values()];
    this.#shelf.clear();
    await Promise.allSettled(open.map(async ({ opened }) => (await opened).model.dispose()));
  }

  #placeIfRoom(key: string, federation: string, version: number): Shelved {
    const inUse = [...this.#shelf.values()].filter(({ users }) => users > 0).length;
    if (inUse < MOST_IN_USE) return this.#place(key, federation, version);
    throw new F3Error('F3_BUSY', `models: ${MOST_IN_USE} may be asked about at a time, got another; try again`);
  }

  #place(key: string, federation: string, version: number): Shelved {
    const shelved: Shelved = { opened: this.#open(key, federation, version), used: Date.now(), users: 0 };
    shelved.opened.catch(() => this.#shelf.delete(key));
    this.#shelf.set(key, shelved);
    return shelved;
  }

  async #open(key: string, federation: string, version: number): Promise<OpenModel> {
    const { db } = this.#store;
    const source = await storedSource(db, federation, version);
    // A thread that ended takes its model with it; the next question opens it anew.
    const model = new EvaluatedModel(source, {
      onFailure: () => this.#shelf.delete(key),
      onWorked: (asker, milliseconds) => this.budget.spend(asker, milliseconds),
    });
    let told: Promise<ToldPart> | undefined;
    return {
      model,
      told: async (asker) => {
        const part = await model.part(asker);
        told ??= toldPart(db, source, part);
        return told;
      },
    };
  }

  /** Closes models that nobody uses: those not used since then, and the oldest beyond so many. */
  #tidy(since: number, most: number): void {
    const unused = [...this.#shelf].filter(([, { users }]) => users === 0).sort(([, a], [, b]) => a.used - b.used);
    let surplus = this.#shelf.size - most;
    for (const [key, { opened, used }] of unused) {
      if (used >= since && surplus <= 0) continue;
      surplus--;
      this.#shelf.delete(key);
      void opened.then(({ model }) => model.dispose()).catch(() => undefined);
    }
  }
}
