// [coordinator] A stored model in a thread of its own, with its validation part once that is asked for, and the answers of late.
import { WorkerThread } from '../../base/worker-thread.ts';
import { F3Error } from '../../errors.ts';
import type { FusedCard } from '../../fuse/model/fused-card.ts';
import type { AbsenceEffect, PartEvaluation } from '../../infer/scored-part.ts';
import { FairQueue } from '../fair-queue.ts';
import type { ChosenPart, EvaluatedData } from './evaluation-data.ts';
import type { EvaluationAnswer, EvaluationQuestion, StoredAlignment } from './evaluation-worker.ts';

/** Where the part comes from: a coordinator's database, or files. */
export interface EvaluationSource {
  card: FusedCard;
  /** What messages call the model. */
  name: string;
  weights(): Promise<Uint8Array<ArrayBuffer>>;
  data(): Promise<EvaluatedData>;
  /** Bundles of the owners, one at a time. */
  bundles(): AsyncIterable<{ owner: string; bytes: Uint8Array<ArrayBuffer> }>;
}

/** So many questions wait, in all and of one member: a page asks one at a time, but people who click fast leave some behind. */
const [MOST_WAITING, MOST_PER_ASKER] = [32, 12];
/** So many answers are kept. */
const MOST_KEPT = 200;
/** Graphs of more owners take minutes per question. */
const MOST_OWNERS = 2000;

export interface EvaluatedModelOptions {
  /** Called when the thread has ended by itself. */
  onFailure?: () => void;
  /** Told how long each question took, and who asked. */
  onWorked?: (asker: string, milliseconds: number) => void;
}

export class EvaluatedModel {
  readonly card: FusedCard;
  readonly #source: EvaluationSource;
  readonly #thread: WorkerThread<EvaluationQuestion, EvaluationAnswer>;
  readonly #slots: Map<string, number>;
  readonly #effects = new Map<string, Promise<AbsenceEffect>>();
  #opening: Promise<unknown> | undefined;
  #part: Promise<ChosenPart> | undefined;
  #evaluation: Promise<PartEvaluation> | undefined;
  readonly #queue: FairQueue;
  readonly #onWorked: (asker: string, milliseconds: number) => void;

  constructor(source: EvaluationSource, { onFailure, onWorked = () => undefined }: EvaluatedModelOptions = {}) {
    this.card = source.card;
    this.#source = source;
    this.#onWorked = onWorked;
    const rule = `at most ${MOST_WAITING} questions may wait, and ${MOST_PER_ASKER} of one member`;
    const refusal = () => new F3Error('F3_BUSY', `${source.name}: ${rule}, got another; try again`);
    this.#queue = new FairQueue({ mostWaiting: MOST_WAITING, mostPerAsker: MOST_PER_ASKER, refusal });
    this.#slots = new Map(source.card.owners.map(({ owner }, slot) => [owner, slot]));
    const file = new URL('./evaluation-worker', import.meta.url);
    this.#thread = new WorkerThread(file, { name: 'f3-evaluation', onFailure });
  }

  /** The samples that questions are about. The first call reads labels and bundles, for which `asker` pays. */
  part(asker: string): Promise<ChosenPart> {
    this.#part ??= this.#worked(asker, () => this.#readPart()).catch((error) => {
      this.#part = undefined;
      throw error;
    });
    return this.#part;
  }

  /** Members take turns. */
  async evaluate(asker: string): Promise<PartEvaluation> {
    await this.part(asker);
    this.#evaluation ??= this.#ask<PartEvaluation>(asker, { kind: 'evaluate' }).catch((error) => {
      this.#evaluation = undefined;
      throw error;
    });
    return this.#evaluation;
  }

  /** `most`: how many changed samples are wanted. The same question again costs nothing. */
  async without(asker: string, absent: readonly string[], most = 0): Promise<AbsenceEffect> {
    const slots = this.#slotsOf(absent);
    await this.part(asker);
    const key = `${most} ${slots.join()}`;
    const known = this.#effects.get(key);
    if (known) return known;
    const asked = this.#ask<AbsenceEffect>(asker, { kind: 'without', absent: slots, most });
    this.#effects.set(key, asked);
    asked.catch(() => this.#effects.delete(key));
    if (this.#effects.size > MOST_KEPT) this.#effects.delete(this.#effects.keys().next().value as string);
    return asked;
  }

  async alignment(asker: string, owner: string): Promise<StoredAlignment> {
    const [slot] = this.#slotsOf([owner]);
    await this.#open();
    return this.#ask<StoredAlignment>(asker, { kind: 'alignment', owner: slot });
  }

  dispose(): Promise<void> {
    return this.#thread.dispose();
  }

  #slotsOf(owners: readonly string[]): number[] {
    const slots = new Set<number>();
    for (const owner of owners) {
      const slot = this.#slots.get(owner);
      if (slot === undefined) {
        throw new F3Error('F3_FUSE_OWNER', `owner ${owner}: must be of the model, got one that it does not know`);
      }
      slots.add(slot);
    }
    if (slots.size >= this.#slots.size && owners.length > 1) {
      throw new F3Error('F3_FUSE_OWNER', `absent: must leave one owner at least, got all ${slots.size}`);
    }
    return [...slots].sort((a, b) => a - b);
  }

  #open(): Promise<unknown> {
    this.#opening ??= (async () => {
      const { card, name } = this.#source;
      const weights = await this.#source.weights();
      return this.#thread.ask({ kind: 'open', card, weights, name }, [weights.buffer]);
    })();
    return this.#opening;
  }

  async #readPart(): Promise<ChosenPart> {
    if (this.card.owners.length > MOST_OWNERS) {
      const rule = `must have at most ${MOST_OWNERS} owners to be asked what if`;
      throw new F3Error('F3_EVALUATION', `${this.#source.name}: ${rule}, got ${this.card.owners.length}`);
    }
    await this.#open();
    const data = await this.#source.data();
    await this.#thread.ask({ kind: 'part', ...data }, [data.labels.buffer]);
    for await (const { owner, bytes } of this.#source.bundles()) {
      await this.#thread.ask({ kind: 'bundle', owner, bytes }, [bytes.buffer]);
    }
    const part = (await this.#thread.ask({ kind: 'ready' })) as ChosenPart;
    if (part.samples.length > 0) return part;
    throw new F3Error('F3_EVALUATION', `${this.#source.name}: must have a validation part, got no sample of it`);
  }

  #ask<T extends EvaluationAnswer>(asker: string, question: EvaluationQuestion): Promise<T> {
    return this.#queue.run(asker, () => this.#worked(asker, async () => (await this.#thread.ask(question)) as T));
  }

  async #worked<T>(asker: string, work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await work();
    } finally {
      this.#onWorked(asker, performance.now() - began);
    }
  }
}
