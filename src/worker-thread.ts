// A worker thread that answers questions: its file calls `answerQuestions`, whoever asks has a `WorkerThread`.
import { extname } from 'node:path';
import { parentPort, type Worker } from 'node:worker_threads';
import { startWorker } from './core/start-worker.ts';
import { type ErrorCode, errorCode, F3Error } from './errors.ts';

interface Asked<Question> {
  id: number;
  question: Question;
}

type Reply<Answer> = { id: number; answer: Answer } | { id: number; message: string; code: ErrorCode | undefined };

interface Waiting<Answer> {
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
}

export interface WorkerThreadOptions {
  name: string;
  /** Told when the thread has ended by itself, with all it held. */
  onFailure?: (error: Error) => void;
}

export class WorkerThread<Question, Answer> {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting<Answer>>();
  #asked = 0;
  #end: Error | undefined;
  #isDisposed = false;

  /** `file`: its address without the ending, which is ours: sources start sources, the package starts the package. */
  constructor(file: URL, { name, onFailure }: WorkerThreadOptions) {
    this.#worker = startWorker(new URL(`${file.href}${extname(import.meta.url)}`), { name });
    // It keeps the process alive while somebody waits, and only then.
    this.#worker.unref();
    this.#worker.on('message', (reply: Reply<Answer>) => this.#hear(reply));
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

  ask(question: Question): Promise<Answer> {
    if (this.#end) return Promise.reject(this.#end);
    const asked: Asked<Question> = { id: this.#asked++, question };
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) this.#worker.ref();
      this.#waiting.set(asked.id, { resolve, reject });
      this.#worker.postMessage(asked);
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
    else waiting?.reject(reply.code ? new F3Error(reply.code, reply.message) : new Error(reply.message));
  }
}

/** In the thread's file. */
export function answerQuestions<Question, Answer>(answer: (question: Question) => Promise<Answer>): void {
  const reply = (message: Reply<Answer>) => parentPort?.postMessage(message);
  parentPort?.on('message', async ({ id, question }: Asked<Question>) => {
    try {
      reply({ id, answer: await answer(question) });
    } catch (error) {
      reply({ id, message: error instanceof Error ? error.message : String(error), code: errorCode(error) });
    }
  });
}
