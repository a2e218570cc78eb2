// A fused model as a program uses it: predict, evaluate, explain, refit, save. It holds memory until it is disposed.
import { Engine } from '../core/engine/engine.ts';
import { F3Error } from '../errors.ts';
import type { BundleSource } from '../exchange/bundle/bundle-sources.ts';
import { type LabelSource, readLabels } from '../exchange/labels/label-sources.ts';
import { readSplit, type SplitSource } from '../exchange/labels/split-sources.ts';
import { BundleJoin } from '../fuse/join/bundle-join.ts';
import { type FusionInput, freeInput, InputAssembly } from '../fuse/join/fusion-input.ts';
import { type EncodedModel, encodeFusedModel, type FusedCard, restoreFusedModel } from '../fuse/model/fused-card.ts';
import type { FusedFacts, FusedModel } from '../fuse/model/fused-model.ts';
import { loadFusedModel, saveFusedModel } from '../fuse/model/model-folder.ts';
import type { PredictionGraphs } from '../fuse/model/predict-logits.ts';
import { REFIT_FIELDS, type RefitChanges, refitOwner } from '../fuse/training/refit-owner.ts';
import { type Predictions, predictAll } from '../infer/predictions.ts';
import { type Evaluation, type EvaluationOptions, evaluateModel } from './evaluate.ts';
import { type Explanation, type ExplanationOptions, explainModel } from './explain.ts';
import type { FuseProgress } from './fuse.ts';
import { addBundles, READING_FIELDS, type ReadingOptions, requireKnown } from './read-bundles.ts';
import { type FieldsOf, requireFields } from './require-fields.ts';

/** How to predict. */
export interface PredictOptions extends ReadingOptions {
  /** How many sampled graphs are averaged, or the mean graph in one pass. Default: as the model's config says. */
  graphs?: PredictionGraphs | undefined;
}

/** Samples with their labels, to score a model on. */
export interface LabelledData {
  /** What the owners sent: files, folders, bytes or arrays. */
  bundles: BundleSource | readonly BundleSource[];
  /** The class of every sample. */
  labels: LabelSource;
  /** Without it every labelled sample that an owner saw is in the test part. */
  split?: SplitSource | undefined;
}

/** How to learn one owner's alignment anew. */
export interface ModelRefitOptions extends Pick<ReadingOptions, 'without' | 'signal' | 'onWarning'> {
  /** How to train; what the model is stays as it is. */
  config?: RefitChanges | undefined;
  /** Called after every bundle and after every epoch. */
  onProgress?: ((progress: FuseProgress) => void) | undefined;
}

const DATA_FIELDS: FieldsOf<LabelledData> = { bundles: true, labels: true, split: true };
const REFIT_CHANGES = Object.fromEntries(REFIT_FIELDS.map((field) => [field, true])) as FieldsOf<RefitChanges>;

/** What a model reports to whoever made it. */
export interface ModelHooks {
  /** Called when the model has been written to disk. */
  onSaved?: (() => void) | undefined;
}

/** A fused model. It predicts, evaluates, explains, refits and saves, until it is disposed. */
export class Model {
  readonly #engine: Engine;
  readonly #fused: FusedModel;
  readonly #hooks: ModelHooks;
  #isDisposed = false;

  /** `fuse` and `loadModel` make models. The engine belongs to the model from here. */
  constructor(engine: Engine, fused: FusedModel, hooks: ModelHooks = {}) {
    this.#engine = engine;
    this.#fused = fused;
    this.#hooks = hooks;
  }

  /** Config, classes, owners, history and scores. */
  get facts(): FusedFacts {
    return this.#fused.facts;
  }

  /** Predicts every sample that occurs in a bundle, with the owners that have it. */
  async predict(bundles: BundleSource | readonly BundleSource[], options: PredictOptions = {}): Promise<Predictions> {
    const engine = this.#use();
    requireFields<PredictOptions>('options', options, { graphs: true, ...READING_FIELDS });
    const { graphs, ...reading } = options;
    const join = new BundleJoin(engine, { owners: this.#owners(), votes: this.#fused.kind === 'voting' });
    this.#requireKnown(reading.without, await addBundles(bundles, join, reading));
    const joined = join.finish();
    const predictions = predictAll(engine, this.#fused, joined, graphs);
    freeInput(engine, { joined });
    return predictions;
  }

  /** Scores, confusion, calibration and, where asked for, what absent owners cost. */
  async evaluate(data: LabelledData, options: EvaluationOptions = {}): Promise<Evaluation> {
    const engine = this.#use();
    requireFields<EvaluationOptions>('options', options, { graphs: true, absence: true, ...READING_FIELDS });
    if (typeof options.absence === 'object') {
      requireFields('absence', options.absence, { shares: true, repeats: true, seed: true });
    }
    const input = await this.#read(data, options);
    try {
      return evaluateModel(engine, this.#fused, input, { ...options, hasSplit: data.split !== undefined });
    } finally {
      freeInput(engine, input);
    }
  }

  /** Edges of the consensus graph and alignments; with labelled samples also what each owner's absence costs. */
  async explain(data?: LabelledData, options: ExplanationOptions = {}): Promise<Explanation> {
    const engine = this.#use();
    requireFields<ExplanationOptions>('options', options, { graphs: true, ...READING_FIELDS });
    if (!data) return explainModel(engine, this.#fused, undefined, options);
    const input = await this.#read(data, options);
    try {
      return await explainModel(engine, this.#fused, input, options);
    } finally {
      freeInput(engine, input);
    }
  }

  /**
   * An owner retrained its model: only its alignment is learned anew, in a new model; this one stays as it is. The split must
   * be the model's own, and may be left out where that was a seed.
   */
  async refit(owner: string, data: LabelledData, options: ModelRefitOptions = {}): Promise<Model> {
    const engine = this.#use();
    requireFields('data', data, DATA_FIELDS);
    requireFields<ModelRefitOptions>('options', options, { config: true, ...READING_FIELDS });
    requireFields('config', options.config ?? {}, REFIT_CHANGES);
    const split = data.split ?? this.facts.split?.seed;
    if (split === undefined) {
      const rule = 'the split must be given for a model that was not split by a seed';
      throw new F3Error('F3_MODEL_REFIT', `refit ${owner}: ${rule}, got none`, { remedy: 'split' });
    }
    const { config, without, signal, onProgress, onWarning } = options;
    this.#requireOwner(owner);
    // The owner's new embeddings may be of another width; the others' may not.
    const owners = this.#owners().map((entry) => (entry.owner === owner ? { owner } : entry));
    const input = await this.#read({ ...data, split }, { without, signal, onWarning, onProgress }, owners);
    try {
      const refitted = await refitOwner(engine, this.#fused, owner, input, {
        config,
        signal,
        onEpoch: (report) => onProgress?.({ stage: 'training', ...report }),
      });
      signal?.throwIfAborted();
      const encoded = encodeFusedModel(refitted);
      refitted.network.dispose();
      return await loadModel(encoded, { threads: engine.threads.count });
    } finally {
      freeInput(engine, input);
    }
  }

  /** Writes `model.safetensors` and `model.json` into a folder, whole or not at all. */
  async save(folder: string, options: { overwrite?: boolean | undefined } = {}): Promise<FusedCard> {
    this.#use();
    requireFields('options', options, { overwrite: true });
    const card = saveFusedModel(folder, this.#fused, { overwrite: options.overwrite ?? false });
    this.#hooks.onSaved?.();
    return card;
  }

  /** The model as bytes, for a database or another process; `loadModel` takes them. */
  encode(): EncodedModel {
    this.#use();
    return encodeFusedModel(this.#fused);
  }

  /** Gives memory and threads back. A model that was disposed answers nothing more. */
  async dispose(): Promise<void> {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    await this.#engine.dispose();
  }

  /** For `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  /** For `using`, which cannot wait: threads end a moment later. */
  [Symbol.dispose](): void {
    void this.dispose();
  }

  #use(): Engine {
    if (!this.#isDisposed) return this.#engine;
    throw new F3Error('F3_DISPOSED', 'model: must not be used after it was disposed');
  }

  #owners(): { owner: string; width?: number }[] {
    return this.facts.owners.map(({ owner, width }) => ({ owner, width }));
  }

  #requireOwner(named: string): void {
    if (this.facts.owners.some(({ owner }) => owner === named)) return;
    throw new F3Error('F3_FUSE_OWNER', `owner ${named}: must be an owner of the model, got an unknown one`);
  }

  /** Bundles of owners that are not of the model may be left out, too: of those without whom it was fused. */
  #requireKnown(without: readonly string[] | undefined, leftOut: readonly string[]): void {
    requireKnown(without, [...leftOut, ...this.facts.owners.map(({ owner }) => owner)]);
  }

  async #read(data: LabelledData, options: ReadingOptions, owners = this.#owners()): Promise<FusionInput> {
    requireFields('data', data, DATA_FIELDS);
    const labels = await readLabels(data.labels, this.facts.classes);
    const split = data.split === undefined ? undefined : await readSplit(data.split, labels.samples);
    const votes = this.#fused.kind === 'voting';
    const assembly = new InputAssembly(this.#engine, { labels, split, owners, votes });
    this.#requireKnown(options.without, await addBundles(data.bundles, assembly, options));
    return assembly.finish();
  }
}

/** A model from its folder, or from bytes. */
export async function loadModel(
  source: string | EncodedModel,
  options: { threads?: number | undefined } = {},
): Promise<Model> {
  requireFields('options', options, { threads: true });
  if (typeof source !== 'string' && !source?.card) {
    throw new F3Error(
      'F3_MODEL_FORMAT',
      'model: must be a folder, or a card and weights as encode makes them, got neither',
    );
  }
  const engine = new Engine({ threads: options.threads });
  try {
    if (typeof source === 'string') return new Model(engine, await loadFusedModel(engine, source));
    const { card, weights } = source;
    return new Model(engine, await restoreFusedModel(engine, card, async () => weights, 'model'));
  } catch (error) {
    await engine.dispose();
    throw error;
  }
}
