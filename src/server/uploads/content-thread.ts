// [coordinator] Checks the content of uploads in a thread of its own, with little memory: the thread that serves requests only
// hands over one stored chunk after the other.
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkerThread } from '../../base/worker-thread.ts';
import { F3Error } from '../../errors.ts';
import { streamBlob } from '../../storage/blobs.ts';
import type { Store } from '../../storage/database/open-database.ts';
import type { JsonObject } from '../../storage/schema.ts';
import type { ContentQuestion } from './check-content.ts';
import type { ContentAnswer, ContentMessage } from './content-worker.ts';

/** A check that takes longer for a single chunk is hanging. Whole files of 64 MiB take seconds. */
const STALL_MS = 120_000;

export class ContentThread {
  readonly #store: Store;
  readonly #heapMb: number;
  #thread: WorkerThread<ContentMessage, ContentAnswer> | undefined;

  constructor(store: Store, heapMb: number) {
    this.#store = store;
    this.#heapMb = heapMb;
  }

  /** One at a time. Throws F3_UPLOAD_LIMIT if the check needs more memory than it may have, or does not end. */
  async check(question: ContentQuestion, blob: string): Promise<JsonObject> {
    const { db, kind } = this.#store;
    const thread = this.#running();
    let answer = await this.#ask(thread, { kind: 'begin', question }, question);
    let chunks = streamBlob(db, blob);
    while ('wanted' in answer) {
      if (answer.wanted !== 'next') chunks = streamBlob(db, blob, answer.wanted.from);
      const start = performance.now();
      const { value, done } = await chunks.next();
      // The embedded database does one thing at a time: checks get half of its time, and requests get the other half.
      if (kind === 'embedded') await sleep(performance.now() - start);
      // The bytes are copied, because what a driver returns may share its memory with other answers.
      const bytes = done ? undefined : new Uint8Array(value);
      answer = await this.#ask(thread, { kind: 'chunk', bytes }, question, bytes ? [bytes.buffer] : []);
    }
    return answer.summary;
  }

  async close(): Promise<void> {
    await this.#thread?.dispose();
  }

  async #ask(
    thread: WorkerThread<ContentMessage, ContentAnswer>,
    message: ContentMessage,
    { kind, size }: ContentQuestion,
    transfer: ArrayBuffer[] = [],
  ): Promise<ContentAnswer> {
    const timer = setTimeout(() => {
      this.#thread = undefined;
      void thread.dispose();
    }, STALL_MS);
    try {
      return await thread.ask(message, transfer);
    } catch (cause) {
      if (cause instanceof F3Error || this.#thread === thread) throw cause;
      const rule = `the check must get by with ${this.#heapMb} MB of objects and end`;
      throw new F3Error('F3_UPLOAD_LIMIT', `${kind} of ${size} bytes: ${rule}, got a check that did not`, { cause });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Starts the thread if there is none, or if it has ended by itself. */
  #running(): WorkerThread<ContentMessage, ContentAnswer> {
    const onEnd = () => {
      this.#thread = undefined;
    };
    this.#thread ??= new WorkerThread(new URL('./content-worker', import.meta.url), {
      name: 'f3-uploads',
      onFailure: onEnd,
      resourceLimits: { maxOldGenerationSizeMb: this.#heapMb },
    });
    return this.#thread;
  }
}
