// [coordinator] A model that answers single samples as they come: requests of one moment are computed together.
import { Batches } from '../base/batches.ts';
import { softmaxRows } from '../core/softmax-rows.ts';
import { F3Error } from '../errors.ts';
import type { FusedCard } from '../fuse/model/fused-card.ts';
import type { PredictionGraphs } from '../fuse/model/predict-logits.ts';
import { predictedClasses } from '../fuse/scores/confusion.ts';
import { ModelThread, type ThreadModel } from './model-thread.ts';

/** What some owners say about one sample: owner → its embedding. */
export type SampleEmbeddings = ReadonlyMap<string, Float32Array>;

/** The answer to one sample. */
export interface Answer {
  /** The class that the model names, see `Prediction`. */
  class: string;
  /** [class] */
  probabilities: number[];
  /** Owners that were present, in the model's order. */
  owners: string[];
  /** Of an ensemble: standard deviation between its members of the class's probability. */
  uncertainty?: number;
}

/** As it came: laid out for the model when its batch is, since thousands may wait and most of a row may be absent. */
interface Sample {
  /** [owner, width] of everybody, or of those who are there. */
  given: Float32Array | SampleEmbeddings;
  owners: string[];
}

/** An answer, or why there is none: company that was computed together must not share a refusal. */
type Outcome = Answer | F3Error;

/** Multiplications of a batch: its products run at full speed, and the thread is handed the next one every few milliseconds. */
const BATCH_WORK = 400_000;
/** Samples of a batch. */
const [FEWEST, MOST] = [8, 256];

/** A model that answers single samples as they come. Requests of one moment are computed together. */
export class ServedModel {
  /** What is known of the model. */
  readonly card: FusedCard;
  readonly #model: ThreadModel;
  readonly #end: () => Promise<void>;
  readonly #slots: Map<string, number>;
  readonly #everybody: string[];
  readonly #width: number;
  /** Apart: with a mask the last bits could differ, and an answer must not depend on company. */
  readonly #complete: Batches<Sample, Outcome>;
  readonly #masked: Batches<Sample, Outcome>;

  private constructor(card: FusedCard, model: ThreadModel, end: () => Promise<void>) {
    this.card = card;
    this.#model = model;
    this.#end = end;
    this.#everybody = card.owners.map(({ owner }) => owner);
    this.#slots = new Map(card.owners.map(({ owner }, slot) => [owner, slot]));
    this.#width = Math.max(...card.owners.map(({ width }) => width));
    const most = Math.min(MOST, Math.max(FEWEST, Math.floor(BATCH_WORK / card.owners.length ** 2)));
    const batches = () =>
      new Batches((samples: Sample[]) => this.#outcomes(samples), { maxItems: most, maxUnderWay: 2 });
    [this.#complete, this.#masked] = [batches(), batches()];
  }

  /** Into `thread`, which the caller ends, or into one that ends with the model. */
  static async load(
    card: FusedCard,
    weights: Uint8Array,
    graphs?: PredictionGraphs,
    thread?: ModelThread,
  ): Promise<ServedModel> {
    if (thread) {
      const model = await thread.load(card, weights, graphs);
      return new ServedModel(card, model, () => model.unload());
    }
    const own = new ModelThread();
    try {
      return new ServedModel(card, await own.load(card, weights, graphs), () => own.dispose());
    } catch (error) {
      await own.dispose();
      throw error;
    }
  }

  /** Answers when the requests of this moment are computed. Refuses embeddings so large that the result is not finite. */
  predict(sample: SampleEmbeddings): Promise<Answer> {
    this.#check(sample);
    const isComplete = sample.size === this.card.owners.length;
    const owners = isComplete ? this.#everybody : this.#everybody.filter((owner) => sample.has(owner));
    return answered(isComplete ? this.#complete : this.#masked, { given: sample, owners });
  }

  /** embeddings: [sample, owner, width]. All owners must be there, in the model's order and of one width. */
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
    for (let i = 0; i < embeddings.length; i++) {
      if (Number.isFinite(embeddings[i])) continue;
      const row = Math.floor(i / width);
      requireFinite(known[row % owners].owner, embeddings.subarray(row * width, (row + 1) * width));
    }
    const size = owners * width;
    return Promise.all(
      Array.from({ length: samples }, (_, s) =>
        answered(this.#complete, { given: embeddings.subarray(s * size, (s + 1) * size), owners: this.#everybody }),
      ),
    );
  }

  /** Gives memory and threads back. */
  dispose(): Promise<void> {
    return this.#end();
  }

  /** Throws unless the embeddings are of this model's owners, of their widths and finite. */
  #check(sample: SampleEmbeddings): void {
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

  /** The samples are all complete, or all have a mask. */
  async #outcomes(samples: readonly Sample[]): Promise<Outcome[]> {
    const { classes } = this.card;
    const { embeddings, present } = this.#laidOut(samples);
    const { logits, spread } = await this.#model.outputs(samples.length, embeddings, present);
    const probabilities = softmaxRows(logits, classes.length);
    return samples.map((sample, s) => {
      const [from, to] = [s * classes.length, (s + 1) * classes.length];
      const odd = logits.subarray(from, to).findIndex((logit) => !Number.isFinite(logit));
      if (odd >= 0) return this.#overflow(sample, `${logits[from + odd]} (class ${classes[odd]})`);
      const own = Array.from(probabilities.subarray(from, to));
      const [named] = predictedClasses(own, classes.length, this.card.decision);
      const answer: Answer = { class: classes[named], probabilities: own, owners: sample.owners };
      if (spread) answer.uncertainty = spread[s];
      return answer;
    });
  }

  /** embeddings: [sample, owner, width]; present: [sample, owner] where somebody is absent */
  #laidOut(samples: readonly Sample[]): { embeddings: Float32Array; present?: Float32Array } {
    const [owners, size] = [this.card.owners.length, this.card.owners.length * this.#width];
    const embeddings = new Float32Array(samples.length * size);
    const present = new Float32Array(samples.length * owners);
    for (const [s, { given }] of samples.entries()) {
      if (given instanceof Float32Array) {
        embeddings.set(given, s * size);
        continue;
      }
      for (const [owner, embedding] of given) {
        const slot = this.#slots.get(owner) as number;
        embeddings.set(embedding, s * size + slot * this.#width);
        present[s * owners + slot] = 1;
      }
    }
    return samples.every((sample) => sample.owners.length === owners) ? { embeddings } : { embeddings, present };
  }

  /** Names whose numbers are the largest, and not the numbers: others may read it who wait for the same sample. */
  #overflow(sample: Sample, found: string): F3Error {
    const { embeddings } = this.#laidOut([sample]);
    let largest = 0;
    for (let i = 1; i < embeddings.length; i++) {
      if (Math.abs(embeddings[i]) > Math.abs(embeddings[largest])) largest = i;
    }
    const owner = this.#everybody[Math.floor(largest / this.#width)];
    const rule = 'embedding must be small enough for a finite prediction';
    return new F3Error('F3_PREDICTION_NOT_FINITE', `owner ${owner}: ${rule}, got ${found}`);
  }
}

async function answered(batches: Batches<Sample, Outcome>, sample: Sample): Promise<Answer> {
  const outcome = await batches.add(sample);
  if (outcome instanceof F3Error) throw outcome;
  return outcome;
}

function requireFinite(owner: string, embedding: Float32Array): void {
  for (let column = 0; column < embedding.length; column++) {
    if (Number.isFinite(embedding[column])) continue;
    const found = `${embedding[column]} (column ${column})`;
    throw new F3Error('F3_BUNDLE_NOT_FINITE', `owner ${owner}: embedding must be finite, got ${found}`);
  }
}
