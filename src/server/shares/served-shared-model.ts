// [coordinator] A model on shares as routes ask it: samples of one moment are asked about together, in a thread that speaks with the entities.
import { Batches } from '../../base/batches.ts';
import { WorkerThread } from '../../base/worker-thread.ts';
import { softmaxRows } from '../../core/softmax-rows.ts';
import { type ErrorCode, F3Error } from '../../errors.ts';
import type { FusedCard } from '../../fuse/model/fused-card.ts';
import { predictedClasses } from '../../fuse/scores/confusion.ts';
import type { Answer } from '../../infer/served-model.ts';
import {
  type AnnouncedBundle,
  SAMPLES_AT_ONCE,
  type SharedModelStart,
  type SharedOutcome,
  type SharedSample,
} from './shared-model.ts';
import type { SharedModelAnswer, SharedModelQuestion } from './shared-model-worker.ts';

export class ServedSharedModel {
  readonly card: FusedCard;
  readonly #thread: WorkerThread<SharedModelQuestion, SharedModelAnswer>;
  readonly #batches: Batches<SharedSample, SharedOutcome>;
  /** The bundles that the thread has, or is being given. */
  #bundles: { sha256: string; given: Promise<void> } | undefined;

  private constructor(card: FusedCard, onFailure: () => void) {
    this.card = card;
    const file = new URL('./shared-model-worker', import.meta.url);
    this.#thread = new WorkerThread(file, { name: 'f3-shared-model', onFailure });
    this.#batches = new Batches(
      async (samples) => (await this.#thread.ask({ kind: 'predict', samples })) as SharedOutcome[],
      // A conversation takes one request at a time; whoever comes meanwhile goes into the next.
      { maxItems: SAMPLES_AT_ONCE, maxUnderWay: 1 },
    );
  }

  /** `onFailure` is told when the thread has ended by itself. */
  static async load(start: SharedModelStart, onFailure: () => void): Promise<ServedSharedModel> {
    const served = new ServedSharedModel(start.card, onFailure);
    try {
      await served.#thread.ask({ kind: 'begin', start });
      return served;
    } catch (error) {
      await served.dispose();
      throw error;
    }
  }

  /** `sha256` names the bundles: they are read, once and one after the other, when the thread has others. */
  useBundles(sha256: string, read: () => AsyncIterable<AnnouncedBundle>): Promise<void> {
    if (this.#bundles?.sha256 === sha256) return this.#bundles.given;
    const before = this.#bundles?.given;
    const given = (async () => {
      await before?.catch(() => undefined);
      await this.#thread.ask({ kind: 'bundles' });
      for await (const bundle of read()) await this.#thread.ask({ kind: 'bundle', bundle });
      await this.#thread.ask({ kind: 'use' });
    })();
    const bundles = { sha256, given };
    this.#bundles = bundles;
    given.catch(() => {
      if (this.#bundles === bundles) this.#bundles = undefined;
    });
    return given;
  }

  async predict(sample: SharedSample): Promise<Answer> {
    const outcome = await this.#batches.add(sample);
    if ('code' in outcome) throw new F3Error(outcome.code as ErrorCode, outcome.message);
    const { classes } = this.card;
    const probabilities = Array.from(softmaxRows(Float32Array.from(outcome.logits), classes.length));
    const [named] = predictedClasses(probabilities, classes.length, this.card.decision);
    return { class: classes[named], probabilities, owners: outcome.owners };
  }

  dispose(): Promise<void> {
    return this.#thread.dispose();
  }
}
