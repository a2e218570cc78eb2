// A worker thread that is ended when it stalls, and replaced by another one: what was asked of it is refused, and whoever comes next
// finds it at work again.
import type { Transferable } from 'node:worker_threads';
import { F3Error } from '../errors.ts';
import { WorkerThread } from './worker-thread.ts';

export interface ReplacedThreadOptions {
  name: string;
  /** Megabytes of objects beyond which the thread ends. */
  heapMb: number;
  /** Milliseconds after which a question counts as one that has no end. */
  stallMs: number;
}

/** Asks the thread that a piece of work began with. What is in `transfer` belongs to the thread from then on. */
export type AskThread<Question, Answer> = (question: Question, transfer?: readonly Transferable[]) => Promise<Answer>;

export class ReplacedThread<Question, Answer> {
  readonly #file: URL;
  readonly #options: ReplacedThreadOptions;
  #thread: WorkerThread<Question, Answer> | undefined;

  /** `file` as for `WorkerThread`. The thread starts when there is work. */
  constructor(file: URL, options: ReplacedThreadOptions) {
    this.#file = file;
    this.#options = options;
  }

  /**
   * Begins a piece of work of one or more questions, all of which go to the same thread: one that has replaced it would know nothing
   * of the first. `refusal` gives the error for work that the thread did not survive.
   */
  begin(refusal: (cause: unknown) => F3Error): AskThread<Question, Answer> {
    const thread = this.#running();
    return async (question, transfer) => {
      const overdue = setTimeout(() => {
        this.#forget(thread);
        void thread.dispose();
      }, this.#options.stallMs);
      try {
        return await thread.ask(question, transfer);
      } catch (cause) {
        if (cause instanceof F3Error || this.#thread === thread) throw cause;
        throw refusal(cause);
      } finally {
        clearTimeout(overdue);
      }
    };
  }

  async close(): Promise<void> {
    await this.#thread?.dispose();
  }

  #running(): WorkerThread<Question, Answer> {
    if (this.#thread) return this.#thread;
    const { name, heapMb } = this.#options;
    const thread: WorkerThread<Question, Answer> = new WorkerThread(this.#file, {
      name,
      onFailure: () => this.#forget(thread),
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    this.#thread = thread;
    return thread;
  }

  #forget(thread: WorkerThread<Question, Answer>): void {
    if (this.#thread === thread) this.#thread = undefined;
  }
}
