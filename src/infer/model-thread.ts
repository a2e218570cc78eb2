// [coordinator] A thread that computes predictions for all models of a process, while its own thread goes on serving requests.

import { WorkerThread } from '../base/worker-thread.ts';
import type { FusedCard } from '../fuse/model/fused-card.ts';
import type { PredictionGraphs } from '../fuse/model/predict-logits.ts';
import type { ModelAnswer, ModelQuestion } from './model-worker.ts';
import type { ModelOutputs, Outputs } from './ready-model.ts';

/** A model in the thread. */
export interface ThreadModel {
  outputs(...batch: Parameters<Outputs>): Promise<ModelOutputs>;
  unload(): Promise<void>;
}

/** A thread that predicts for all models of a process, while the calling thread serves requests. */
export class ModelThread {
  readonly #thread: WorkerThread<ModelQuestion, ModelAnswer>;
  #models = 0;

  /** `onFailure` is told when the thread has ended by itself: all its models are gone. */
  constructor(onFailure?: (error: Error) => void) {
    const file = new URL('./model-worker', import.meta.url);
    this.#thread = new WorkerThread(file, { name: 'f3-models', onFailure });
  }

  /** Loads a model into the thread. */
  async load(card: FusedCard, weights: Uint8Array, graphs?: PredictionGraphs): Promise<ThreadModel> {
    const model = this.#models++;
    await this.#thread.ask({ kind: 'load', model, card, weights, graphs });
    return {
      outputs: async (...batch) => (await this.#thread.ask({ kind: 'outputs', model, batch })) as ModelOutputs,
      unload: async () => void (await this.#thread.ask({ kind: 'unload', model })),
    };
  }

  /** Ends the thread. */
  dispose(): Promise<void> {
    return this.#thread.dispose();
  }
}
