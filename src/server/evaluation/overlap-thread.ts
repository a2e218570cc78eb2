// [coordinator] Counts in a thread of its own which samples owners have in common: ids of a large federation are millions of texts.
import { WorkerThread } from '../../base/worker-thread.ts';
import type { Overlap } from '../../exchange/messages/overlap.ts';
import type { OverlapQuestion } from './overlap-worker.ts';

export class OverlapThread {
  readonly #thread = new WorkerThread<OverlapQuestion, Overlap | undefined>(
    new URL('./overlap-worker', import.meta.url),
    { name: 'f3-overlap' },
  );

  async labels(bytes: Uint8Array<ArrayBuffer>, name: string): Promise<void> {
    await this.#thread.ask({ kind: 'labels', bytes, name }, [bytes.buffer]);
  }

  async bundle(bytes: Uint8Array<ArrayBuffer>, owner: string): Promise<void> {
    await this.#thread.ask({ kind: 'bundle', bytes, owner }, [bytes.buffer]);
  }

  async count(): Promise<Overlap> {
    return (await this.#thread.ask({ kind: 'count' })) as Overlap;
  }

  dispose(): Promise<void> {
    return this.#thread.dispose();
  }
}
