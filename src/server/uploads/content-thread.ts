// [coordinator] Checks the content of uploads in a thread of its own, with little memory: the thread that serves requests only
// hands over one stored chunk after the other.
import { setTimeout as sleep } from 'node:timers/promises';
import { ReplacedThread } from '../../base/replaced-thread.ts';
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
  readonly #thread: ReplacedThread<ContentMessage, ContentAnswer>;

  constructor(store: Store, heapMb: number) {
    this.#store = store;
    this.#heapMb = heapMb;
    this.#thread = new ReplacedThread(new URL('./content-worker', import.meta.url), {
      name: 'f3-uploads',
      heapMb,
      stallMs: STALL_MS,
    });
  }

  /** One at a time. Throws F3_UPLOAD_LIMIT if the check needs more memory than it may have, or does not end. */
  async check(question: ContentQuestion, blob: string): Promise<JsonObject> {
    const { db } = this.#store;
    const ask = this.#thread.begin((cause) => this.#refusal(question, cause));
    let answer = await ask({ kind: 'begin', question });
    let chunks = streamBlob(db, blob);
    while ('wanted' in answer) {
      if (answer.wanted !== 'next') chunks = streamBlob(db, blob, answer.wanted.from);
      const start = performance.now();
      const { value, done } = await chunks.next();
      // Checks get half of the database's time, and requests get the other half.
      await sleep(performance.now() - start);
      // The bytes are copied, because what a driver returns may share its memory with other answers.
      const bytes = done ? undefined : new Uint8Array(value);
      answer = await ask({ kind: 'chunk', bytes }, bytes ? [bytes.buffer] : []);
    }
    return answer.summary;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  #refusal({ kind, size }: ContentQuestion, cause: unknown): F3Error {
    const rule = `the check must get by with ${this.#heapMb} MB of objects and end`;
    return new F3Error('F3_UPLOAD_LIMIT', `${kind} of ${size} bytes: ${rule}, got a check that did not`, { cause });
  }
}
