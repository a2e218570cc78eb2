// [coordinator] Samples that are predicted live. Whoever waits for the same sample waits together: one look at the database
// tells them all who is there, and one prediction answers all who may be answered.
import { Batches } from '../../base/batches.ts';
import { F3Error } from '../../errors.ts';
import type { Answer, ServedModel } from '../../infer/served-model.ts';
import type { Store } from '../../storage/database/open-database.ts';
import {
  listLiveEmbeddings,
  listLiveOwners,
  type NewLiveEmbedding,
  putLiveEmbeddings,
} from '../../storage/live-embeddings.ts';

export interface LiveContribution {
  federation: string;
  sample: string;
  owner: string;
  /** [d] */
  embedding: Float32Array;
  /** Owners that suffice; by default all of the model's that are not revoked. */
  quorum: number | undefined;
  deadlineMs: number;
  model: ServedModel;
}

/** How often to look for what came to other processes. */
const POLL_MS = 20;
/** A sample's embeddings are kept beyond the deadline for whoever asks a little later. */
const KEPT_MS = 60_000;
/** Embeddings that came in one moment, or while earlier ones were written, are written in one statement. */
const WRITES = { maxItems: 256, maxUnderWay: 1 };

export class LiveSamples {
  readonly #store: Store;
  readonly #waiting = new Map<string, WaitingRoom>();
  readonly #kept: Batches<NewLiveEmbedding, undefined>;

  constructor(store: Store) {
    this.#store = store;
    this.#kept = new Batches(async (live) => {
      await putLiveEmbeddings(store.db, live);
      return live.map(() => undefined);
    }, WRITES);
    // Whoever is revoked is waited for no longer. On PostgreSQL the next look tells.
    store.onChange(() => {
      for (const room of this.#waiting.values()) room.look();
    });
  }

  /** When enough owners are there, or the deadline has passed: of those who are. */
  async answer({ federation, sample, owner, embedding, quorum, deadlineMs, model }: LiveContribution): Promise<Answer> {
    const deadline = Date.now() + deadlineMs;
    // Kept only if it is sound, and not so large that it spoils the answers of all the others.
    await model.predict(new Map([[owner, embedding]]));
    const expires = new Date(deadline + KEPT_MS);
    await this.#kept.add({ federation, sample, owner, embedding, expires });
    return this.#room(federation, sample).wait({ owner, model, quorum, deadline });
  }

  /** There while somebody waits in it. */
  #room(federation: string, sample: string): WaitingRoom {
    const name = JSON.stringify([federation, sample]);
    const room =
      this.#waiting.get(name) ??
      new WaitingRoom(this.#store, federation, sample, () => void this.#waiting.delete(name));
    this.#waiting.set(name, room);
    return room;
  }
}

interface Waiting extends Pick<LiveContribution, 'owner' | 'model' | 'quorum'> {
  deadline: number;
}

interface Waiter extends Waiting {
  resolve: (answer: Answer | Promise<Answer>) => void;
  reject: (error: unknown) => void;
}

class WaitingRoom {
  readonly #store: Store;
  readonly #federation: string;
  readonly #sample: string;
  readonly #onEmpty: () => void;
  #waiters: Waiter[] = [];
  #isLooking = false;
  #hasNews = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Store, federation: string, sample: string, onEmpty: () => void) {
    this.#store = store;
    this.#federation = federation;
    this.#sample = sample;
    this.#onEmpty = onEmpty;
  }

  /** For one whose embedding has just been kept, which is news to the others. */
  wait(waiting: Waiting): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ ...waiting, resolve, reject });
      this.look();
    });
  }

  /** One look at a time; what came meanwhile makes another. */
  async look(): Promise<void> {
    this.#hasNews = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    clearTimeout(this.#timer);
    while (this.#hasNews && this.#waiters.length > 0) {
      this.#hasNews = false;
      await this.#answerSome();
    }
    this.#isLooking = false;
    if (this.#waiters.length === 0) return this.#onEmpty();
    const next = Math.min(...this.#waiters.map(({ deadline }) => deadline)) - Date.now();
    const most = this.#store.kind === 'embedded' ? Number.POSITIVE_INFINITY : POLL_MS;
    this.#timer = setTimeout(() => this.look(), Math.max(1, Math.min(next, most)));
  }

  async #answerSome(): Promise<void> {
    // Before the look: an answer at the deadline knows of all who came until then.
    const now = Date.now();
    let asked = [...this.#waiters];
    try {
      const owners = await listLiveOwners(this.#store.db, this.#federation, this.#sample);
      const valid = new Set(owners.map(({ owner }) => owner));
      asked = this.#dismissRevoked(asked, valid);
      const counts = perModel(asked, (model) => ({
        there: usable(model, owners).length,
        all: model.card.owners.filter(({ owner }) => valid.has(owner)).length,
      }));
      const ready = asked.filter(({ model, quorum = Number.POSITIVE_INFINITY, deadline }) => {
        const { there, all } = counts.get(model) as { there: number; all: number };
        return there >= Math.min(quorum, all) || now >= deadline;
      });
      if (ready.length === 0) return;
      const embeddings = await listLiveEmbeddings(this.#store.db, this.#federation, this.#sample);
      const answers = perModel(ready, (model) =>
        model.predict(new Map(usable(model, embeddings).map((each) => [each.owner, each.embedding]))),
      );
      this.#leave(ready);
      for (const { model, resolve } of ready) resolve(answers.get(model) as Promise<Answer>);
    } catch (error) {
      this.#leave(asked);
      for (const { reject } of asked) reject(error);
    }
  }

  /** Gives back the others. */
  #dismissRevoked(asked: readonly Waiter[], valid: ReadonlySet<string>): Waiter[] {
    const revoked = asked.filter(({ owner }) => !valid.has(owner));
    this.#leave(revoked);
    for (const { owner, reject } of revoked) {
      reject(new F3Error('F3_AUTH_REVOKED', `member ${owner}: must not be revoked, got a revoked key`));
    }
    return asked.filter(({ owner }) => valid.has(owner));
  }

  #leave(waiters: readonly Waiter[]): void {
    this.#waiters = this.#waiters.filter((waiter) => !waiters.includes(waiter));
  }
}

/** Once per model, of which there are two while one replaces the other. */
function perModel<T>(waiters: readonly Waiter[], give: (model: ServedModel) => T): Map<ServedModel, T> {
  const models = new Set(waiters.map(({ model }) => model));
  return new Map(Array.from(models, (model) => [model, give(model)]));
}

/** What came for another version of the model may be of another owner or of another width. */
function usable<T extends { owner: string; width: number | null }>({ card }: ServedModel, found: readonly T[]): T[] {
  const widths = new Map(card.owners.map(({ owner, width }) => [owner, width]));
  return found.filter(({ owner, width }) => widths.get(owner) === width);
}
