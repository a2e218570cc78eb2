// [coordinator] Makes checkpoints in the thread of a training and hands them to the thread that writes them: one every few
// seconds, and none while the last one is being written.
import type { Checkpoints } from '../../fuse/fuse-owners.ts';
import { decodeCheckpoint, encodeCheckpoint, type TrainingState } from '../../fuse/training/training-state.ts';

export interface HandedCheckpointsOptions {
  /** What is being trained, see `fingerprint`. */
  about: string;
  /** Time between checkpoints. */
  seconds: number;
  /** Checkpoints of an earlier attempt, by learning rate. */
  stored: ReadonlyMap<number, Uint8Array>;
  /** Id of the training, for messages. */
  training: string;
  /** Called with each checkpoint. Its receiver calls `markWritten` afterwards. */
  onCheckpoint: (learningRate: number, bytes: Uint8Array<ArrayBuffer>) => void;
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
    this.markWritten();
  }

  load(learningRate: number): TrainingState | undefined {
    return this.#loaded.get(learningRate);
  }

  offer(learningRate: number, state: () => TrainingState): void {
    if (performance.now() >= this.#next) this.save(learningRate, state());
  }

  save(learningRate: number, state: TrainingState): void {
    this.#next = Number.POSITIVE_INFINITY;
    this.#options.onCheckpoint(learningRate, encodeCheckpoint(state, this.#options.about));
  }

  /** Says that the last checkpoint is written, so that another one may be made. */
  markWritten(): void {
    this.#next = performance.now() + this.#options.seconds * 1000;
  }
}
