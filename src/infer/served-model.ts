// [coordinator] A model that answers single samples as they come: requests of one moment are computed together.
import { Engine } from '../core/engine.ts';
import { softmaxRows } from '../core/softmax-rows.ts';
import { F3Error } from '../errors.ts';
import { type FusedCard, restoreFusedModel } from '../fuse/fused-card.ts';
import type { FusionModel } from '../fuse/fusion-model.ts';
import { GlobalModel } from '../fuse/global-model.ts';
import { type PredictionGraphs, predictLogits } from '../fuse/predict-logits.ts';
import { FrozenModel } from './frozen-model.ts';

/** What some owners say about one sample: owner → its embedding. */
export type SampleEmbeddings = ReadonlyMap<string, Float32Array>;

export interface Answer {
  /** Name of the likeliest class. */
  class: string;
  /** [class] */
  probabilities: number[];
  /** Owners that were present, in the model's order. */
  owners: string[];
}

interface Waiting {
  sample: SampleEmbeddings;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/** Samples computed at once; more wait for the next turn. */
const MOST_AT_ONCE = 256;

export class ServedModel {
  readonly card: FusedCard;
  readonly #engine: Engine;
  readonly #logits: (samples: number, embeddings: Float32Array, present?: Float32Array) => Float32Array;
  readonly #slots: Map<string, number>;
  readonly #width: number;
  #waiting: Waiting[] = [];

  private constructor(engine: Engine, card: FusedCard, network: FusionModel, graphs: PredictionGraphs | undefined) {
    this.card = card;
    this.#engine = engine;
    this.#slots = new Map(card.owners.map(({ owner }, slot) => [owner, slot]));
    this.#width = network.shape.width;
    if (network instanceof GlobalModel && card.config.graph !== 'knn') {
      const frozen = new FrozenModel(engine, network, graphs);
      this.#logits = (samples, embeddings, present) => frozen.logits(samples, embeddings, present);
    } else {
      this.#logits = (samples, embeddings, present) => logitsOf(engine, network, samples, embeddings, present, graphs);
    }
  }

  /** One thread: answers take microseconds, and a server's cores serve other requests. */
  static async load(card: FusedCard, weights: Uint8Array, graphs?: PredictionGraphs): Promise<ServedModel> {
    const engine = new Engine({ threads: 1 });
    const { network } = await restoreFusedModel(engine, card, async () => weights, 'model');
    if (network) return new ServedModel(engine, card, network, graphs);
    const rule = 'must predict from embeddings';
    throw new F3Error('F3_MODEL_FORMAT', `model: ${rule}, got method ${card.config.method}, which needs votes`);
  }

  /** Answers when the requests of this moment are computed. */
  predict(sample: SampleEmbeddings): Promise<Answer> {
    this.check(sample);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ sample, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#answer());
    });
  }

  async dispose(): Promise<void> {
    await this.#engine.dispose();
  }

  /** Throws unless the embeddings are of this model's owners, of their widths and finite. */
  check(sample: SampleEmbeddings): void {
    for (const [owner, embedding] of sample) {
      const slot = this.#slots.get(owner);
      if (slot === undefined) {
        throw new F3Error('F3_FUSE_OWNER', `embeddings: must be of owners of the model, got ${owner}`);
      }
      const { width } = this.card.owners[slot];
      if (embedding.length !== width) {
        throw new F3Error('F3_FUSE_WIDTH', `owner ${owner}: embedding width must be ${width}, got ${embedding.length}`);
      }
      const bad = embedding.findIndex((value) => !Number.isFinite(value));
      if (bad >= 0) {
        const found = `${embedding[bad]} (column ${bad})`;
        throw new F3Error('F3_BUNDLE_NOT_FINITE', `owner ${owner}: embedding must be finite, got ${found}`);
      }
    }
  }

  #answer(): void {
    const batch = this.#waiting.slice(0, MOST_AT_ONCE);
    this.#waiting = this.#waiting.slice(MOST_AT_ONCE);
    if (this.#waiting.length > 0) setImmediate(() => this.#answer());
    // Complete samples go without a mask; with one the last bits could differ, and an answer must not depend on company.
    const isComplete = ({ sample }: Waiting) => sample.size === this.#slots.size;
    for (const group of [batch.filter(isComplete), batch.filter((waiting) => !isComplete(waiting))]) {
      try {
        const answers = this.#compute(group.map(({ sample }) => sample));
        group.forEach(({ resolve }, i) => {
          resolve(answers[i]);
        });
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
  }

  #compute(samples: readonly SampleEmbeddings[]): Answer[] {
    if (samples.length === 0) return [];
    const { classes, owners } = this.card;
    const embeddings = new Float32Array(samples.length * owners.length * this.#width);
    const present = new Float32Array(samples.length * owners.length);
    for (const [s, sample] of samples.entries()) {
      for (const [owner, embedding] of sample) {
        const at = s * owners.length + (this.#slots.get(owner) as number);
        embeddings.set(embedding, at * this.#width);
        present[at] = 1;
      }
    }
    const mask = samples[0].size === owners.length ? undefined : present;
    const logits = this.#logits(samples.length, embeddings, mask);
    const probabilities = softmaxRows(logits, classes.length);
    return samples.map((sample, s) => {
      const own = Array.from(probabilities.subarray(s * classes.length, (s + 1) * classes.length));
      const likeliest = own.indexOf(Math.max(...own));
      const names = owners.filter(({ owner }) => sample.has(owner)).map(({ owner }) => owner);
      return { class: classes[likeliest], probabilities: own, owners: names };
    });
  }
}

/** For models that cannot be frozen: their tensors live as long as the call. */
function logitsOf(
  engine: Engine,
  network: FusionModel,
  samples: number,
  embeddings: Float32Array,
  present: Float32Array | undefined,
  graphs: PredictionGraphs | undefined,
): Float32Array {
  const { owners, width } = network.shape;
  const data = {
    embeddings: engine.buffer([samples, owners, width], embeddings),
    ...(present && { present: engine.buffer([samples, owners], present) }),
  };
  const rows = Uint32Array.from({ length: samples }, (_, i) => i);
  const logits = predictLogits(engine, network, data, rows, graphs);
  engine.free(data.embeddings);
  if (data.present) engine.free(data.present);
  return logits;
}
