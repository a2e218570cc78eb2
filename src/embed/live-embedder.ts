// [owner] A frozen local model that embeds windows one at a time, as they come.
import type { Engine } from '../core/engine/engine.ts';
import type { Tensor } from '../core/engine/tensor.ts';
import { F3Error } from '../errors.ts';
import { checkWindow } from './check-window.ts';
import type { LocalModel } from './local-model.ts';
import { normalise } from './normalise-windows.ts';
import { loadOwnerModel, type ModelCard, readModelCard } from './owner-model.ts';
import { predictLocal } from './train-local-model.ts';

/** A frozen local model that embeds windows one at a time, as they come. */
export class LiveEmbedder {
  /** What is known of the model. */
  readonly card: ModelCard;
  readonly #engine: Engine;
  readonly #model: LocalModel;
  /** [1, time, variate] */
  readonly #window: Tensor;

  /** Loads the model of an owner's folder (model.json and model.safetensors). */
  static async load(engine: Engine, folder: string): Promise<LiveEmbedder> {
    const card = await readModelCard(folder);
    if (!card) throw new F3Error('F3_MODEL_FORMAT', `${folder}: must hold a trained model, got no model.json`);
    return new LiveEmbedder(engine, card, await loadOwnerModel(engine, folder, card));
  }

  constructor(engine: Engine, card: ModelCard, model: LocalModel) {
    this.card = card;
    this.#engine = engine;
    this.#model = model;
    this.#window = engine.buffer([1, card.length, card.variates.length]);
  }

  /** `window`: [time, variate] → [d] */
  embed(window: Float32Array, sample: string): Float32Array {
    const { length, variates, normalisation } = this.card;
    checkWindow(window, { length, variates: variates.length }, sample);
    this.#window.data.set(normalisation ? normalise(window, normalisation) : window);
    return predictLocal(this.#engine, this.#model, this.#window, Uint32Array.of(0)).embeddings;
  }

  /** Gives the model's memory back. */
  dispose(): void {
    this.#model.dispose();
    this.#engine.free(this.#window);
  }
}
