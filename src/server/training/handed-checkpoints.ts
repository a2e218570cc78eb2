// [coordinator] Checkpoints of a training, made in its thread and handed to the one that writes them: one every few seconds, and
// none while the last is being written.
import type { Checkpoints } from '../../fuse/fuse-owners.ts';
import { decodeCheckpoint, encodeCheckpoint, type TrainingState } from '../../fuse/training/training-state.ts';

export interface HandedCheckpointsOptions {
  /** What is being trained, see `fingerprint`. */
  about: string;
  /** Between checkpoints. */
  seconds: number;
  /** Those of an earlier attempt, by learning rate. */
  stored: ReadonlyMap<number, Uint8Array>;
  /** Of the training, for messages. */
  training: string;
  hand: (learningRate: number, bytes: Uint8Array<ArrayBuffer>) => void;
}

export class HandedCheckpoints implements Checkpoints {
  readonly #options: HandedCheckpointsOptions;
  readonly #loaded: ReadonlyMap<number, TrainingState>;
  #next = 0;

  constructor(options: HandedCheckpointsOptions) {
    const { stored, training, about } = options;
    const decode = (bytes: Uint8Array) => decodeCheckpoint(bytes, `checkpoint of ${training}`, about);
    this.#options = options;
    this.#loaded = new Map(Array.from(stored, ([learningRate, bytes]) => [learningRate, decode(bytes)]));
    this.kept();
  }

  load(learningRate: number): TrainingState | undefined {
    return this.#loaded.get(learningRate);
  }

  offer(learningRate: number, state: () => TrainingState): void {
    if (performance.now() >= this.#next) this.save(learningRate, state());
  }

  save(learningRate: number, state: TrainingState): void {
    this.#next = Number.POSITIVE_INFINITY;
    this.#options.hand(learningRate, encodeCheckpoint(state, this.#options.about));
  }

  /** The last one is written. */
  kept(): void {
    this.#next = performance.now() + this.#options.seconds * 1000;
  }
}
