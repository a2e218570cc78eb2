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
  /** [owner, width] */
  embeddings: Float32Array;
  /** [owner], where somebody is absent. */
  present?: Float32Array;
  owners: string[];
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
  readonly #everybody: string[];
  readonly #width: number;
  #waiting: Waiting[] = [];

  private constructor(engine: Engine, card: FusedCard, network: FusionModel, graphs: PredictionGraphs | undefined) {
    this.card = card;
    this.#engine = engine;
    this.#everybody = card.owners.map(({ owner }) => owner);
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
    const { owners } = this.card;
    const embeddings = new Float32Array(owners.length * this.#width);
    const present = new Float32Array(owners.length);
    for (const [owner, embedding] of sample) {
      const slot = this.#slots.get(owner) as number;
      embeddings.set(embedding, slot * this.#width);
      present[slot] = 1;
    }
    // Complete samples go without a mask; with one the last bits could differ, and an answer must not depend on company.
    if (sample.size === owners.length) return this.#wait({ embeddings, owners: this.#everybody });
    return this.#wait({ embeddings, present, owners: this.#everybody.filter((owner) => sample.has(owner)) });
  }

  /** embeddings: [sample, owner, width], of all owners in the model's order; they must have one width. */
  predictComplete(embeddings: Float32Array, [samples, owners, width]: readonly number[]): Promise<Answer[]> {
    const known = this.card.owners;
    const other = known.find((owner) => owner.width !== width);
    if (owners !== known.length || other) {
      const widths = other ? `${other.width} (owner ${other.owner})` : `${width}`;
      const found = `${owners} owners of width ${width}`;
      const rule = `must be of all ${known.length} owners of the model, of width ${widths}`;
      throw new F3Error(
        owners === known.length ? 'F3_FUSE_WIDTH' : 'F3_FUSE_OWNER',
        `embeddings: ${rule}, got ${found}`,
      );
    }
    const bad = embeddings.findIndex((value) => !Number.isFinite(value));
    if (bad >= 0) {
      const row = Math.floor(bad / width);
      requireFinite(known[row % owners].owner, embeddings.subarray(row * width, (row + 1) * width));
    }
    const size = owners * width;
    return Promise.all(
      Array.from({ length: samples }, (_, s) =>
        this.#wait({ embeddings: embeddings.subarray(s * size, (s + 1) * size), owners: this.#everybody }),
      ),
    );
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
      requireFinite(owner, embedding);
    }
  }

  #wait(sample: Pick<Waiting, 'embeddings' | 'present' | 'owners'>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...sample, resolve, reject });
      if (this.#waiting.length === 1) setImmediate(() => this.#answer());
    });
  }

  #answer(): void {
    const batch = this.#waiting.slice(0, MOST_AT_ONCE);
    this.#waiting = this.#waiting.slice(MOST_AT_ONCE);
    if (this.#waiting.length > 0) setImmediate(() => this.#answer());
    for (const group of [batch.filter(({ present }) => !present), batch.filter(({ present }) => present)]) {
      try {
        const answers = this.#compute(group);
        group.forEach(({ resolve }, i) => {
          resolve(answers[i]);
        });
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
  }

  /** All samples complete, or none. */
  #compute(samples: readonly Waiting[]): Answer[] {
    if (samples.length === 0) return [];
    const { classes, owners } = this.card;
    const logits = this.#logits(
      samples.length,
      joined(
        samples.map(({ embeddings }) => embeddings),
        owners.length * this.#width,
      ),
      samples[0].present &&
        joined(
          samples.map(({ present }) => present as Float32Array),
          owners.length,
        ),
    );
    const probabilities = softmaxRows(logits, classes.length);
    return samples.map((sample, s) => {
      const own = Array.from(probabilities.subarray(s * classes.length, (s + 1) * classes.length));
      const likeliest = own.indexOf(Math.max(...own));
      return { class: classes[likeliest], probabilities: own, owners: sample.owners };
    });
  }
}

function requireFinite(owner: string, embedding: Float32Array): void {
  for (let column = 0; column < embedding.length; column++) {
    if (Number.isFinite(embedding[column])) continue;
    const found = `${embedding[column]} (column ${column})`;
    throw new F3Error('F3_BUNDLE_NOT_FINITE', `owner ${owner}: embedding must be finite, got ${found}`);
  }
}

/** parts: [part, size] → one array */
function joined(parts: readonly Float32Array[], size: number): Float32Array {
  if (parts.length === 1) return parts[0];
  const whole = new Float32Array(parts.length * size);
  for (const [i, part] of parts.entries()) whole.set(part, i * size);
  return whole;
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
