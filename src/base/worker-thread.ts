// A worker thread that answers questions: its file calls `answerQuestions`, whoever asks has a `WorkerThread`. Between its
// answers a thread may send reports.
import { extname } from 'node:path';
import { parentPort, type ResourceLimits, type Transferable, type Worker } from 'node:worker_threads';
import { type ErrorCode, errorCode, F3Error } from '../errors.ts';
import { startWorker } from './start-worker.ts';

interface NumberedQuestion<Question> {
  id: number;
  question: Question;
}

interface Failure {
  message: string;
  code: ErrorCode | undefined;
  /** Where in the thread it failed. */
  stack: string | undefined;
  /** Of an error of the operating system: what tells it from a fault of the program. */
  system: Pick<NodeJS.ErrnoException, 'code' | 'syscall'> | undefined;
}

type Reply<Answer> = { id: number } & ({ answer: Answer } | { failure: Failure });
type Message<Answer, Report> = Reply<Answer> | { report: Report };

interface PendingAnswer<Answer> {
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
}

export interface WorkerThreadOptions<Report> {
  name: string;
  /** Called with what the thread sends with `sendReport`, in that order, before the answers that it gives afterwards. */
  onReport?: ((report: Report) => void) | undefined;
  /** Called when the thread has ended by itself, with all that it held. */
  onFailure?: ((error: Error) => void) | undefined;
  /** The most memory of the thread's objects. A thread that needs more ends with an error, and the process lives on. */
  resourceLimits?: ResourceLimits | undefined;
}

export class WorkerThread<Question, Answer, Report = never> {
  readonly #worker: Worker;
  readonly #pending = new Map<number, PendingAnswer<Answer>>();
  #questions = 0;
  #end: Error | undefined;
  #isDisposed = false;

  /** `file` is an address without its ending, which is that of this file: sources start sources, the package starts the package. */
  constructor(file: URL, { name, onReport, onFailure, resourceLimits }: WorkerThreadOptions<Report>) {
    this.#worker = startWorker(new URL(`${file.href}${extname(import.meta.url)}`), {
      name,
      ...(resourceLimits && { resourceLimits }),
    });
    // The thread keeps the process alive while somebody waits, and only then.
    this.#worker.unref();
    this.#worker.on('message', (message: Message<Answer, Report>) => {
      if ('report' in message) onReport?.(message.report);
      else this.#receive(message);
    });
    const giveUp = (error: Error) => {
      if (this.#end) return;
      this.#end = error;
      for (const { reject } of this.#pending.values()) reject(error);
      this.#pending.clear();
      if (!this.#isDisposed) onFailure?.(error);
    };
    const ended = `thread ${name}: the worker has already ended; start a new one before asking it`;
    this.#worker.on('error', giveUp);
    this.#worker.on('exit', () => giveUp(new Error(ended)));
  }

  /** What is in `transfer` belongs to the thread from then on. */
  ask(question: Question, transfer: readonly Transferable[] = []): Promise<Answer> {
    if (this.#end) return Promise.reject(this.#end);
    const numbered: NumberedQuestion<Question> = { id: this.#questions++, question };
    return new Promise((resolve, reject) => {
      if (this.#pending.size === 0) this.#worker.ref();
      this.#pending.set(numbered.id, { resolve, reject });
      this.#worker.postMessage(numbered, transfer);
    });
  }

  /** Ends the thread. Questions that it has not answered fail. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await this.#worker.terminate();
  }

  #receive(reply: Reply<Answer>): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    // A thread that is being ended keeps the process until it has ended: whoever waits for that would wait for ever.
    if (this.#pending.size === 0 && !this.#isDisposed) this.#worker.unref();
    if ('answer' in reply) pending?.resolve(reply.answer);
    else pending?.reject(errorOf(reply.failure));
  }
}

function errorOf({ message, code, stack, system }: Failure): Error {
  const error = code ? new F3Error(code, message) : Object.assign(new Error(message), system);
  if (stack !== undefined) error.stack = stack;
  return error;
}

/** An error that goes from one thread to another keeps its message and its stack only. */
function failureOf(error: unknown): Failure {
  const { message, stack, code, syscall } = (error instanceof Error ? error : {}) as Partial<NodeJS.ErrnoException>;
  const system = syscall === undefined ? undefined : { code, syscall };
  return { message: message ?? String(error), code: errorCode(error), stack, system };
}

/** Called once, in the thread's own file. What `transferOf` names of an answer is handed over rather than copied. */
export function answerQuestions<Question, Answer>(
  answer: (question: Question) => Promise<Answer>,
  transferOf: (answer: Answer) => readonly Transferable[] = () => [],
): void {
  const reply = (message: Reply<Answer>) =>
    parentPort?.postMessage(message, 'answer' in message ? transferOf(message.answer) : []);
  parentPort?.on('message', async ({ id, question }: NumberedQuestion<Question>) => {
    try {
      reply({ id, answer: await answer(question) });
    } catch (error) {
      reply({ id, failure: failureOf(error) });
    }
  });
}

/** Called in the thread's own file, at any time. */
export function sendReport<Report>(report: Report, transfer: readonly Transferable[] = []): void {
  parentPort?.postMessage({ report }, transfer);
}
