// [coordinator] A training as its thread sees it: decodes and joins stored bytes, learns from them and encodes the model.
import { Engine } from '../../core/engine/engine.ts';
import { errorCode } from '../../errors.ts';
import { type FuseOptions, fuseOwners } from '../../fuse/fuse-owners.ts';
import type { FusionInput, InputAssembly } from '../../fuse/join/fusion-input.ts';
import { type EncodedModel, encodeFusedModel } from '../../fuse/model/fused-card.ts';
import type { FusedModel } from '../../fuse/model/fused-model.ts';
import { fingerprint } from '../../fuse/training/checkpoint-folder.ts';
import { HandedCheckpoints, type HandedCheckpointsOptions } from './handed-checkpoints.ts';
import { type PartIds, partIds, partsRefusal, requirePartRules } from './part-rules.ts';
import { refitOwners, refitStoredModel, type StoredModel } from './refit-stored-model.ts';
import { addStoredBundle, assembleTraining, type StoredBundle } from './training-input.ts';
import { configOf, learningRatesOf, type TrainingPlan } from './training-plan.ts';

export interface TrainingStart {
  plan: TrainingPlan;
  /** The labels, encoded as they are stored. */
  labels: Uint8Array<ArrayBuffer>;
  /** The model to refit, if this is a refit. */
  model: StoredModel | undefined;
  threads: number | undefined;
}

export type LearnOptions = Pick<HandedCheckpointsOptions, 'training' | 'seconds' | 'stored'>;

export interface LearnListeners extends Pick<HandedCheckpointsOptions, 'onCheckpoint'> {
  /** Called with the samples of each part before anything is learned from them. */
  onParts: (ids: PartIds) => void;
  onEpoch: NonNullable<FuseOptions['onEpoch']>;
}

export class TrainingJob {
  readonly #engine: Engine;
  readonly #plan: TrainingPlan;
  readonly #model: StoredModel | undefined;
  readonly #input: InputAssembly;
  readonly #stop = new AbortController();
  #checkpoints: HandedCheckpoints | undefined;

  constructor({ plan, labels, model, threads }: TrainingStart) {
    this.#engine = new Engine({ threads });
    this.#plan = plan;
    this.#model = model;
    this.#input = assembleTraining(this.#engine, plan, labels, model && refitOwners(model));
  }

  add(bundle: StoredBundle): void {
    addStoredBundle(this.#input, bundle);
  }

  /** Returns undefined if it was stopped; its checkpoints then say how far it came. */
  async learn(
    options: LearnOptions,
    { onParts, onEpoch, onCheckpoint }: LearnListeners,
  ): Promise<EncodedModel | undefined> {
    const input = this.#finishInput();
    onParts(partIds(input));
    const watched = { signal: this.#stop.signal, onEpoch };
    const fused = this.#model
      ? await refitStoredModel(this.#engine, this.#model, this.#plan, input, watched)
      : await this.#fuse(input, { ...options, onCheckpoint }, watched);
    return this.#stop.signal.aborted ? undefined : encodeFusedModel(fused);
  }

  #finishInput(): FusionInput {
    const { partRules } = this.#plan;
    try {
      const input = this.#input.finish();
      if (partRules) requirePartRules(input, partRules);
      return input;
    } catch (error) {
      // The library's message names the only class of a part, and so all of its labels.
      if (partRules && errorCode(error) === 'F3_FUSE_CLASSES') throw partsRefusal(partRules);
      throw error;
    }
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
