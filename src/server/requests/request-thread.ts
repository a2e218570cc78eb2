// [coordinator] Does in a thread of its own what a request may ask for that takes long before anything is stored: large bodies are
// parsed and checked there, one at a time, and members take turns. The thread that serves requests never waits for it.
import type { Transferable } from 'node:worker_threads';
import type { FastifyRequest } from 'fastify';
import { ReplacedThread } from '../../base/replaced-thread.ts';
import { F3Error } from '../../errors.ts';
import { FairQueue } from '../fair-queue.ts';
import type { KeptSplit } from '../training/plan-lists.ts';
import type { RefitSplitQuestion } from '../training/refit-split.ts';
import { ReadBody } from './read-body.ts';
import type { BodyReader, RequestQuestion } from './request-worker.ts';

/** A body up to this length is parsed where requests are served: handing it over would take as long. */
export const SMALL_BODY_BYTES = 64 * 1024;
/** The longest body holds about half as much once it is parsed. */
const HEAP_MB = 1024;
/** The longest body takes a second; labels of millions of samples take a few. */
const STALL_MS = 60_000;
const WAITING = { mostWaiting: 64, mostPerAsker: 8 };

const busy = () => new F3Error('F3_BUSY', 'requests: few large ones may wait to be read, got too many; try again');

/** Whoever takes turns with others: a member, or an inference token. */
export const askerOf = ({ member, inferenceToken, ip }: FastifyRequest): string =>
  member?.id ?? inferenceToken?.id ?? ip;

export class RequestThread {
  readonly #queue = new FairQueue({ ...WAITING, refusal: busy });
  readonly #thread = new ReplacedThread<RequestQuestion, unknown>(new URL('./request-worker', import.meta.url), {
    name: 'f3-requests',
    heapMb: HEAP_MB,
    stallMs: STALL_MS,
  });
  #questions = 0;

  /** How many questions the thread was asked. */
  get questions(): number {
    return this.#questions;
  }

  /** `asker` is whoever takes turns with others. Throws what is wrong with the body. */
  async read(asker: string, reader: BodyReader, body: Uint8Array): Promise<ReadBody> {
    // The bytes are copied, because signatures and keys of repeated requests are compared with them afterwards.
    const bytes = Uint8Array.from(body);
    const refusal = `request: body must get by with ${HEAP_MB} MB once it is parsed, got one that does not`;
    return new ReadBody(await this.#ask(asker, { kind: 'body', reader, bytes }, [bytes.buffer], refusal));
  }

  async refitSplit(asker: string, question: RefitSplitQuestion): Promise<KeptSplit> {
    const transfer = question.labels ? [question.labels.bytes.buffer as ArrayBuffer] : [];
    const refusal = `labels: must get by with ${HEAP_MB} MB to be split, got some that do not`;
    return (await this.#ask(asker, { kind: 'refit', ...question }, transfer, refusal)) as KeptSplit;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  /** `refusal` is for a question that the thread did not survive. */
  #ask(asker: string, question: RequestQuestion, transfer: Transferable[], refusal: string): Promise<unknown> {
    return this.#queue.run(asker, () => {
      this.#questions++;
      const ask = this.#thread.begin((cause) => new F3Error('F3_REQUEST', refusal, { cause }));
      return ask(question, transfer);
    });
  }
}
