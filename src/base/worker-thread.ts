// A worker thread that answers questions: its file calls `answerQuestions`, whoever asks has a `WorkerThread`. Between the
// answers it may tell news.
import { extname } from 'node:path';
import { parentPort, type Transferable, type Worker } from 'node:worker_threads';
import { type ErrorCode, errorCode, F3Error } from '../errors.ts';
import { startWorker } from './start-worker.ts';

interface Asked<Question> {
  id: number;
  question: Question;
}

interface Failure {
  message: string;
  code: ErrorCode | undefined;
  /** Where in the thread it failed. */
  stack: string | undefined;
}

type Reply<Answer> = { id: number } & ({ answer: Answer } | { failure: Failure });
type Message<Answer, News> = Reply<Answer> | { news: News };

interface Waiting<Answer> {
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
}

export interface WorkerThreadOptions<News> {
  name: string;
  /** Told what the thread tells with `tellNews`, in that order, before the answers it gives after it. */
  onNews?: (news: News) => void;
  /** Told when the thread has ended by itself, with all it held. */
  onFailure?: (error: Error) => void;
}

export class WorkerThread<Question, Answer, News = never> {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting<Answer>>();
  #asked = 0;
  #end: Error | undefined;
  #isDisposed = false;

  /** `file`: its address without the ending, which is ours: sources start sources, the package starts the package. */
  constructor(file: URL, { name, onNews, onFailure }: WorkerThreadOptions<News>) {
    this.#worker = startWorker(new URL(`${file.href}${extname(import.meta.url)}`), { name });
    // It keeps the process alive while somebody waits, and only then.
    this.#worker.unref();
    this.#worker.on('message', (message: Message<Answer, News>) => {
      if ('news' in message) onNews?.(message.news);
      else this.#hear(message);
    });
    const giveUp = (error: Error) => {
      if (this.#end) return;
      this.#end = error;
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
      if (!this.#isDisposed) onFailure?.(error);
    };
    this.#worker.on('error', giveUp);
    this.#worker.on('exit', () => giveUp(new Error(`thread ${name}: must run to be asked, got its end`)));
  }

  /** What is in `transfer` is the thread's from then on. */
  ask(question: Question, transfer: readonly Transferable[] = []): Promise<Answer> {
    if (this.#end) return Promise.reject(this.#end);
    const asked: Asked<Question> = { id: this.#asked++, question };
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) this.#worker.ref();
      this.#waiting.set(asked.id, { resolve, reject });
      this.#worker.postMessage(asked, transfer);
    });
  }

  /** Whoever waits is told that it has ended. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await this.#worker.terminate();
  }

  #hear(reply: Reply<Answer>): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if ('answer' in reply) waiting?.resolve(reply.answer);
    else waiting?.reject(errorOf(reply.failure));
  }
}

function errorOf({ message, code, stack }: Failure): Error {
  const error = code ? new F3Error(code, message) : new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}

/** In the thread's file. */
export function answerQuestions<Question, Answer>(answer: (question: Question) => Promise<Answer>): void {
  const reply = (message: Reply<Answer>) => parentPort?.postMessage(message);
  parentPort?.on('message', async ({ id, question }: Asked<Question>) => {
    try {
      reply({ id, answer: await answer(question) });
    } catch (error) {
      const { message, stack } = error instanceof Error ? error : { message: String(error) };
      reply({ id, failure: { message, code: errorCode(error), stack } });
    }
  });
}

/** In the thread's file, at any time. */
export function tellNews<News>(news: News, transfer: readonly Transferable[] = []): void {
  parentPort?.postMessage({ news }, transfer);
}
