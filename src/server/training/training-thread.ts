// [coordinator] Runs a training in a thread of its own. The main thread, which serves requests and sends the queue's
// heartbeats, only reads and writes the database for it.
import { WorkerThread } from '../../base/worker-thread.ts';
import type { EncodedModel } from '../../fuse/model/fused-card.ts';
import type { PartIds } from './part-rules.ts';
import type { StoredBundle } from './training-input.ts';
import type { LearnOptions, TrainingStart } from './training-job.ts';
import type { ReportedProgress, ThreadReport, TrainingAnswer, TrainingQuestion } from './training-worker.ts';

export interface TrainingListeners {
  onParts: (ids: PartIds) => void;
  /** `earlier`: epochs that ended since the last call, before this one. */
  onEpoch: (report: ReportedProgress, earlier: readonly ReportedProgress[]) => void;
  /** Resolves when the checkpoint is written; the next one is made some time after that. */
  onCheckpoint: (learningRate: number, bytes: Uint8Array) => Promise<void>;
  /** Called with each fit that a search or an ensemble has finished. */
  onFit: (name: string, bytes: Uint8Array) => void;
}

export class TrainingThread {
  readonly #thread: WorkerThread<TrainingQuestion, TrainingAnswer, ThreadReport>;

  constructor({ onParts, onEpoch, onCheckpoint, onFit }: TrainingListeners) {
    const onReport = (message: ThreadReport) => {
      if (message.kind === 'parts') return onParts(message.ids);
      if (message.kind === 'epoch') return onEpoch(message.report, message.earlier);
      if (message.kind === 'fit') return onFit(message.name, message.bytes);
      // If the checkpoint cannot be written, the listener knows it. If the thread has ended, it needs no answer.
      onCheckpoint(message.learningRate, message.bytes)
        .then(() => this.#thread.ask({ kind: 'checkpoint-written' }))
        .catch(() => undefined);
    };
    this.#thread = new WorkerThread(new URL('./training-worker', import.meta.url), { name: 'f3-training', onReport });
  }

  /** The bytes of the labels, and later those of the bundles, are moved to the thread and cannot be used afterwards. */
  async begin(start: TrainingStart): Promise<void> {
    await this.#thread.ask({ kind: 'begin', start }, [start.labels.buffer]);
  }

  async add(bundle: StoredBundle): Promise<void> {
    await this.#thread.ask({ kind: 'bundle', bundle }, [bundle.bytes.buffer]);
  }

  /** Resolves to undefined if the training was stopped. */
  learn(options: LearnOptions): Promise<EncodedModel | undefined> {
    return this.#thread.ask({ kind: 'learn', options });
  }

  /** Stops the training at its next step; `learn` resolves then. */
  stop(): void {
    this.#thread.ask({ kind: 'stop' }).catch(() => undefined);
  }

  dispose(): Promise<void> {
    return this.#thread.dispose();
  }
}
