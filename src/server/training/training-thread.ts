// [coordinator] A training computes in a thread of its own: the one that serves requests, and tells the queue that its worker
// lives, only reads and writes for it.
import { WorkerThread } from '../../base/worker-thread.ts';
import type { EncodedModel } from '../../fuse/model/fused-card.ts';
import type { StoredBundle } from './training-input.ts';
import type { LearnOptions, TrainingStart } from './training-job.ts';
import type { ReportedEpoch, ThreadReport, TrainingAnswer, TrainingQuestion } from './training-worker.ts';

export interface TrainingListeners {
  onEpoch: (report: ReportedEpoch) => void;
  /** The next one is made some time after this one is written. */
  onCheckpoint: (learningRate: number, bytes: Uint8Array) => Promise<void>;
}

export class TrainingThread {
  readonly #thread: WorkerThread<TrainingQuestion, TrainingAnswer, ThreadReport>;

  constructor({ onEpoch, onCheckpoint }: TrainingListeners) {
    const onReport = (message: ThreadReport) => {
      if (message.kind === 'epoch') return onEpoch(message.report);
      // Where it cannot be written the listener knows; where the thread has ended nobody needs to.
      onCheckpoint(message.learningRate, message.bytes)
        .then(() => this.#thread.ask({ kind: 'kept' }))
        .catch(() => undefined);
    };
    this.#thread = new WorkerThread(new URL('./training-worker', import.meta.url), { name: 'f3-training', onReport });
  }

  /** Its bytes are the thread's from then on, as those of the bundles are. */
  async begin(start: TrainingStart): Promise<void> {
    await this.#thread.ask({ kind: 'begin', start }, [start.labels.buffer]);
  }

  async add(bundle: StoredBundle): Promise<void> {
    await this.#thread.ask({ kind: 'bundle', bundle }, [bundle.bytes.buffer]);
  }

  /** Nothing if it was stopped. */
  learn(options: LearnOptions): Promise<EncodedModel | undefined> {
    return this.#thread.ask({ kind: 'learn', options });
  }

  /** At its next step; `learn` answers then. */
  stop(): void {
    this.#thread.ask({ kind: 'stop' }).catch(() => undefined);
  }

  dispose(): Promise<void> {
    return this.#thread.dispose();
  }
}
