// [coordinator] A training as its thread sees it: decodes and joins stored bytes, learns from them and encodes the model.
import { Engine } from '../../core/engine/engine.ts';
import type { KeyPair } from '../../exchange/identity/key-pair.ts';
import { fuseEnsemble } from '../../fuse/fuse-ensemble.ts';
import { type FuseOptions, fuseOwners } from '../../fuse/fuse-owners.ts';
import type { FusionInput, InputAssembly } from '../../fuse/join/fusion-input.ts';
import { memberConfigs } from '../../fuse/member-configs.ts';
import { type EncodedModel, encodeFusedModel } from '../../fuse/model/fused-card.ts';
import type { FusedModel } from '../../fuse/model/fused-model.ts';
import { searchFusion } from '../../fuse/search/search-fusion.ts';
import type { SearchProgress } from '../../fuse/search/search-report.ts';
import { fingerprint } from '../../fuse/training/checkpoint-folder.ts';
import type { EpochReport } from '../../fuse/training/training-state.ts';
import type { Charter } from '../../shares/charter.ts';
import { HandedCheckpoints, type HandedCheckpointsOptions } from './handed-checkpoints.ts';
import { type PartIds, partIds } from './part-rules.ts';
import { refitOwners, refitStoredModel, type StoredModel } from './refit-stored-model.ts';
import { fitsAtOnce } from './require-memory.ts';
import { addStoredBundle, assembleTraining, finishInput, type StoredBundle } from './training-input.ts';
import { configOf, learningRatesOf, type TrainingPlan } from './training-plan.ts';

export interface TrainingStart {
  plan: TrainingPlan;
  /** The labels, encoded as they are stored. */
  labels: Uint8Array<ArrayBuffer>;
  /** The model to refit, if this is a refit. */
  model: StoredModel | undefined;
  threads: number | undefined;
  /** Bytes that the training may take. */
  memory: number | undefined;
  /** In a federation on shares: who holds them, and how to speak with them. */
  shares?: SharesAccess | undefined;
}

/** A charter, and the coordinator's key under it. */
export interface SharesAccess {
  charter: Charter;
  keys: KeyPair;
}

export interface LearnOptions extends Pick<HandedCheckpointsOptions, 'training' | 'seconds' | 'stored'> {
  /** Fits that an earlier attempt finished, by name. */
  fits: ReadonlyMap<string, Uint8Array>;
}

/** An epoch of a training or of one fit of an ensemble, or where a search stands. */
export type ReportedProgress =
  | { waiting: string }
  | (EpochReport & { learningRate: number; member?: number; members?: number })
  | { search: Omit<SearchProgress, 'stage'> };

/** What the thread of a training runs. */
export interface RunnableJob {
  add(bundle: StoredBundle): void;
  /** Returns undefined if it was stopped; its checkpoints then say how far it came. */
  learn(options: LearnOptions, listeners: LearnListeners): Promise<EncodedModel | undefined>;
  markCheckpointWritten(): void;
  stop(): void;
}

export interface LearnListeners extends Pick<HandedCheckpointsOptions, 'onCheckpoint'> {
  /** Called with the samples of each part before anything is learned from them. */
  onParts: (ids: PartIds) => void;
  onEpoch: (report: ReportedProgress) => void;
  onFit: (name: string, bytes: Uint8Array<ArrayBuffer>) => void;
}

export class TrainingJob implements RunnableJob {
  readonly #engine: Engine;
  readonly #plan: TrainingPlan;
  readonly #model: StoredModel | undefined;
  readonly #input: InputAssembly;
  readonly #memory: number | undefined;
  readonly #stop = new AbortController();
  #checkpoints: HandedCheckpoints | undefined;

  constructor({ plan, labels, model, threads, memory }: TrainingStart) {
    this.#memory = memory;
    this.#engine = new Engine({ threads });
    this.#plan = plan;
    this.#model = model;
    this.#input = assembleTraining(this.#engine, plan, labels, model && refitOwners(model));
  }

  add(bundle: StoredBundle): void {
    addStoredBundle(this.#input, bundle);
  }

  /** Returns undefined if it was stopped; its checkpoints then say how far it came. */
  async learn(options: LearnOptions, listeners: LearnListeners): Promise<EncodedModel | undefined> {
    const { signal } = this.#stop;
    try {
      const input = finishInput(this.#input, this.#plan);
      listeners.onParts(partIds(input));
      const fused = await this.#learn(input, options, listeners);
      return signal.aborted ? undefined : encodeFusedModel(fused);
    } catch (error) {
      if (error === signal.reason) return undefined;
      throw error;
    }
  }

  #learn(input: FusionInput, options: LearnOptions, listeners: LearnListeners): Promise<FusedModel> {
    const { onEpoch, onCheckpoint } = listeners;
    const watched = { signal: this.#stop.signal, onEpoch };
    if (this.#model) return refitStoredModel(this.#engine, this.#model, this.#plan, input, watched);
    if (this.#plan.search) return this.#search(input, options, listeners, this.#plan.search);
    if (this.#plan.ensemble) return this.#fuseEnsemble(input, options, listeners, this.#plan.ensemble);
    return this.#fuse(input, { ...options, onCheckpoint }, watched);
  }

  #search(
    input: FusionInput,
    { fits }: LearnOptions,
    { onEpoch, onFit }: LearnListeners,
    { fixed, budget, absenceWeight }: NonNullable<TrainingPlan['search']>,
  ): Promise<FusedModel> {
    return searchFusion(this.#engine, input, {
      fixed,
      budget,
      absenceWeight,
      threads: fitsAtOnce(this.#plan, this.#memory, this.#engine.threads.count),
      store: { load: (name) => fits.get(name), save: onFit },
      signal: this.#stop.signal,
      onProgress: ({ stage: _, ...search }) => onEpoch({ search }),
    });
  }

  #fuseEnsemble(
    input: FusionInput,
    { fits }: LearnOptions,
    { onEpoch, onFit }: LearnListeners,
    { fits: members, calibrate }: NonNullable<TrainingPlan['ensemble']>,
  ): Promise<FusedModel> {
    const config = configOf(this.#plan);
    return fuseEnsemble(this.#engine, input, memberConfigs([config], members), {
      calibrate,
      learningRates: learningRatesOf(this.#plan),
      store: { load: (name) => fits.get(name), save: onFit },
      signal: this.#stop.signal,
      onEpoch: (report) => onEpoch({ ...report, members }),
    });
  }

  #fuse(
    input: FusionInput,
    options: LearnOptions & Pick<LearnListeners, 'onCheckpoint'>,
    watched: Pick<FuseOptions, 'signal' | 'onEpoch'>,
  ): Promise<FusedModel> {
    const config = configOf(this.#plan);
    const checkpoints = new HandedCheckpoints({ ...options, about: fingerprint(input, config) });
    this.#checkpoints = checkpoints;
    return fuseOwners(this.#engine, input, config, {
      learningRates: learningRatesOf(this.#plan),
      checkpoints,
      ...watched,
    });
  }

  /** Says that the last checkpoint is written. */
  markCheckpointWritten(): void {
    this.#checkpoints?.markWritten();
  }

  /** Stops the training at its next step. */
  stop(): void {
    this.#stop.abort();
  }
}
