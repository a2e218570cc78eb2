// Threads that compute pseudonyms, for owners and for the key holder, because a batch of ids takes a second.
import { availableParallelism } from 'node:os';
import { WorkerThread } from '../../base/worker-thread.ts';
import type { BlindedIds, EvaluatedIds, PseudonymKey } from './oprf.ts';
import type { OprfAnswer, OprfQuestion } from './oprf-worker.ts';

const MOST_THREADS = 4;

export class OprfThreads {
  readonly #threads: (WorkerThread<OprfQuestion, OprfAnswer> | undefined)[];
  /** Questions that each thread has not answered. */
  readonly #load: number[];

  constructor(count = Math.min(MOST_THREADS, availableParallelism())) {
    this.#threads = new Array(count).fill(undefined);
    this.#load = new Array(count).fill(0);
  }

  get count(): number {
    return this.#threads.length;
  }

  blind(federation: string, ids: readonly string[]): Promise<BlindedIds> {
    return this.#ask({ work: 'blind', federation, ids }) as Promise<BlindedIds>;
  }

  evaluate(key: PseudonymKey, blinded: Uint8Array[]): Promise<EvaluatedIds> {
    return this.#ask({ work: 'evaluate', key, blinded }) as Promise<EvaluatedIds>;
  }

  unblind(question: Omit<Extract<OprfQuestion, { work: 'unblind' }>, 'work'>): Promise<string[]> {
    return this.#ask({ work: 'unblind', ...question }) as Promise<string[]>;
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread?.dispose()));
  }

  /** The thread with the least to do gets the question. */
  async #ask(question: OprfQuestion): Promise<OprfAnswer> {
    const at = this.#load.indexOf(Math.min(...this.#load));
    const onFailure = () => {
      this.#threads[at] = undefined;
    };
    const file = new URL('./oprf-worker', import.meta.url);
    this.#threads[at] ??= new WorkerThread(file, { name: 'f3-pseudonyms', onFailure });
    this.#load[at]++;
    try {
      return await this.#threads[at].ask(question);
    } finally {
      this.#load[at]--;
    }
  }
}
