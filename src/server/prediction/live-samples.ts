// [coordinator] Predicts samples live. Requests that wait for the same sample share one query, which finds the owners that
// have sent their embedding, and one prediction.
import { setTimeout as sleep } from 'node:timers/promises';
import { Batches } from '../../base/batches.ts';
import { F3Error } from '../../errors.ts';
import type { Answer, SampleEmbeddings, ServedModel } from '../../infer/served-model.ts';
import type { Store } from '../../storage/database/open-database.ts';
import {
  countLive,
  listLiveEmbeddings,
  listLiveOwners,
  liveName,
  type NewLiveEmbedding,
  putLiveEmbeddings,
} from '../../storage/live-embeddings.ts';
import { ServedSharedModel } from '../shares/served-shared-model.ts';

export interface LiveContribution {
  federation: string;
  sample: string;
  owner: string;
  /** On shares: d. */
  width?: number | undefined;
  /** [d]; empty on shares */
  embedding: Float32Array;
  /** On shares: the name under which each entity holds its share. */
  ticket?: string | undefined;
  /** On shares: the id of its codes, where the embedding is coded. */
  coding?: string | undefined;
  /** Number of owners that suffices for an answer; by default all owners of the model that are not revoked. */
  quorum: number | undefined;
  deadlineMs: number;
  model: LiveModel;
}

/** A sample that was answered, for whoever watches. */
export interface AnsweredSample {
  federation: string;
  sample: string;
  model: LiveModel;
  answer: Answer;
  /** None on shares. */
  embeddings: SampleEmbeddings;
  /** Since the first owner of the sample asked here. */
  latencyMs: number;
  /** Whether a deadline came before everybody did. */
  isLate: boolean;
}

/** What predicts: from embeddings, or from shares that entities hold. */
export type LiveModel = ServedModel | ServedSharedModel;

/** How often the database is asked for embeddings that other processes received: one question for all samples that wait. */
const POLL_MS = { least: 20, most: 200 };
/** A sample's embeddings are kept this long beyond the deadline, for owners that ask a little later. */
const KEPT_MS = 60_000;
/** Embeddings that arrive at the same moment, or while earlier ones are being written, are written in one statement. */
const WRITES = { maxItems: 256, maxUnderWay: 1 };

export class LiveSamples {
  readonly #store: Store;
  readonly #waiting = new Map<string, WaitingRoom>();
  readonly #kept: Batches<NewLiveEmbedding, undefined>;
  readonly #onAnswer: (answered: AnsweredSample) => void;
  #isPolling = false;

  constructor(store: Store, onAnswer: (answered: AnsweredSample) => void = () => undefined) {
    this.#store = store;
    this.#onAnswer = onAnswer;
    this.#kept = new Batches(async (live) => {
      await putLiveEmbeddings(store.db, live);
      return live.map(() => undefined);
    }, WRITES);
    // Nobody waits for a revoked owner any longer. On PostgreSQL the next query notices the revocation.
    store.onChange(() => {
      for (const room of this.#waiting.values()) room.look();
    });
  }

  /** Answers when enough owners have sent their embedding, or when the deadline has passed, with those that have. */
  async answer(contribution: LiveContribution): Promise<Answer> {
    const { federation, sample, owner, width, embedding, ticket, coding, quorum, deadlineMs, model } = contribution;
    const deadline = Date.now() + deadlineMs;
    // An embedding is kept only if the model can predict with it: one with huge numbers would spoil every owner's answer. On shares
    // nobody may look at an owner alone, so that only its width and its codes are checked.
    if (model instanceof ServedSharedModel) requireAlike(model, { owner, width, coding });
    else await model.predict(new Map([[owner, embedding]]));
    const expires = new Date(deadline + KEPT_MS);
    await this.#kept.add({ federation, sample, owner, width, embedding, ticket, expires });
    return this.#room(federation, sample).wait({ owner, model, quorum, deadline });
  }

  /** A room exists while somebody waits in it. */
  #room(federation: string, sample: string): WaitingRoom {
    const name = liveName({ federation, sample });
    const room =
      this.#waiting.get(name) ??
      new WaitingRoom(this.#store, federation, sample, {
        onEmpty: () => void this.#waiting.delete(name),
        onAnswer: this.#onAnswer,
      });
    this.#waiting.set(name, room);
    if (this.#store.kind === 'postgres') void this.#poll();
    return room;
  }

  /** Asks about all samples that wait, less often while nothing changes, until nobody waits. */
  async #poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    let pause = POLL_MS.least;
    let seen = new Map<string, string>();
    while (this.#waiting.size > 0) {
      await sleep(pause, undefined, { ref: false });
      const rooms = [...this.#waiting.values()];
      const now = await countLive(this.#store.db, rooms).catch(() => undefined);
      // A database that is away is noticed by the rooms themselves, whose requests then fail.
      const changed = rooms.filter(({ name }) => !now || now.get(name) !== seen.get(name));
      for (const room of changed) void room.look();
      pause = changed.length > 0 ? POLL_MS.least : Math.min(2 * pause, POLL_MS.most);
      seen = now ?? new Map();
    }
    this.#isPolling = false;
  }
}

interface Waiting extends Pick<LiveContribution, 'owner' | 'model' | 'quorum'> {
  deadline: number;
}

interface Waiter extends Waiting {
  resolve: (answer: Answer | Promise<Answer>) => void;
  reject: (error: unknown) => void;
}

interface RoomListeners {
  onEmpty: () => void;
  onAnswer: (answered: AnsweredSample) => void;
}

class WaitingRoom {
  readonly #store: Store;
  readonly federation: string;
  readonly sample: string;
  readonly #listeners: RoomListeners;
  readonly #since = Date.now();
  #waiters: Waiter[] = [];
  #isLooking = false;
  #hasNews = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(store: Store, federation: string, sample: string, listeners: RoomListeners) {
    this.#store = store;
    this.federation = federation;
    this.sample = sample;
    this.#listeners = listeners;
  }

  get name(): string {
    return liveName(this);
  }

  /** Called after the waiting owner's embedding was kept, so the others are checked again, too. */
  wait(waiting: Waiting): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ ...waiting, resolve, reject });
      this.look();
    });
  }

  /** Queries one at a time. News that arrives during a query causes another one. */
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
    if (this.#waiters.length === 0) return this.#listeners.onEmpty();
    const next = Math.min(...this.#waiters.map(({ deadline }) => deadline)) - Date.now();
    this.#timer = setTimeout(() => this.look(), Math.max(1, next));
  }

  async #answerSome(): Promise<void> {
    // The clock is read before the query, so that an answer at the deadline includes everybody who came until then.
    const now = Date.now();
    let asked = [...this.#waiters];
    try {
      const owners = await listLiveOwners(this.#store.db, this.federation, this.sample);
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
      const embeddings = await listLiveEmbeddings(this.#store.db, this.federation, this.sample);
      const answers = perModel(ready, (model) => {
        const said = usable(model, embeddings);
        const isShared = model instanceof ServedSharedModel;
        const given = new Map(isShared ? [] : said.map((each) => [each.owner, each.embedding]));
        const answer = isShared
          ? model.predict({ tickets: said.flatMap(({ owner, ticket }) => (ticket ? [{ owner, ticket }] : [])) })
          : model.predict(given);
        const { there, all } = counts.get(model) as { there: number; all: number };
        const isLate = there < all && ready.some((waiter) => waiter.model === model && now >= waiter.deadline);
        this.#tell(model, given, answer, isLate);
        return answer;
      });
      this.#leave(ready);
      for (const { model, resolve } of ready) resolve(answers.get(model) as Promise<Answer>);
    } catch (error) {
      this.#leave(asked);
      for (const { reject } of asked) reject(error);
    }
  }

  /** An answer that fails is told to those who wait for it, and to nobody else. */
  #tell(model: LiveModel, embeddings: SampleEmbeddings, answer: Promise<Answer>, isLate: boolean): void {
    const { federation, sample } = this;
    answer.then(
      (made) =>
        this.#listeners.onAnswer({
          federation,
          sample,
          model,
          answer: made,
          embeddings,
          latencyMs: Date.now() - this.#since,
          isLate,
        }),
      () => undefined,
    );
  }

  /** Refuses revoked owners and returns the others. */
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

/** Calls `give` once per model. There are two models while one replaces the other. */
function perModel<T>(waiters: readonly Waiter[], give: (model: LiveModel) => T): Map<LiveModel, T> {
  const models = new Set(waiters.map(({ model }) => model));
  return new Map(Array.from(models, (model) => [model, give(model)]));
}

function requireAlike(
  { card }: ServedSharedModel,
  { owner, width, coding }: Pick<LiveContribution, 'owner' | 'width' | 'coding'>,
): void {
  const known = card.owners.find((one) => one.owner === owner);
  if (!known) throw new F3Error('F3_FUSE_OWNER', `embeddings: must be of owners of the model, got ${owner}`);
  if (known.width !== width) {
    throw new F3Error('F3_FUSE_WIDTH', `owner ${owner}: embedding width must be ${known.width}, got ${width}`);
  }
  const learned = card.onShares?.codings?.[owner];
  if (learned === coding) return;
  const rule = learned
    ? 'must have the codes that the model has learned'
    : 'must have no codes, as the model has learned';
  throw new F3Error('F3_SHARES_CODES', `embedding of ${owner}: ${rule}, got ${coding ? 'others' : 'none'}`);
}

/** Embeddings that were sent for another version of the model may be of an unknown owner or of another width. */
function usable<T extends { owner: string; width: number | null }>({ card }: LiveModel, found: readonly T[]): T[] {
  const widths = new Map(card.owners.map(({ owner, width }) => [owner, width]));
  return found.filter(({ owner, width }) => widths.get(owner) === width);
}
