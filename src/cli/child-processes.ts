// Runs this program's own commands as processes beside it, and leaves none behind.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { F3Error } from '../errors.ts';

/** A process that has ended. Times are milliseconds since 1970. */
export interface EndedProcess {
  pid: number;
  started: number;
  ended: number;
  stdout: string;
}

/** A process that is running. */
export interface StartedProcess {
  pid: number;
  /** The first line that it wrote to stdout. */
  line: string;
  /** Rejects if the process ends before `end` or `kill` is called. */
  failed: Promise<never>;
}

/** Time for a process to end in an orderly way; one that takes longer is killed. */
const END_MS = 10_000;

export class ChildProcesses {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #alive = new Map<ChildProcess, Promise<void>>();
  /** Those that were told to end: their end is no failure, however late its news come. */
  readonly #told = new WeakSet<ChildProcess>();
  #ending = false;
  #isOver = false;

  constructor(environment: Readonly<Record<string, string>> = {}) {
    this.#environment = { ...process.env, ...environment };
  }

  /** Runs `f3 …args` and waits for its end, which must be a success. Error messages call the process `name`. */
  async run(name: string, args: readonly string[]): Promise<EndedProcess> {
    const started = Date.now();
    const child = this.#spawn(args);
    let stdout = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    await ended(name, child);
    return { pid: child.pid as number, started, ended: Date.now(), stdout };
  }

  /** Starts `f3 …args` and waits for the first line of its output, which says that it is ready. */
  async start(name: string, args: readonly string[]): Promise<StartedProcess> {
    const child = this.#spawn(args);
    const early = ended(name, child).then(
      () => failure(name, 'an early end'),
      (error: unknown) => error,
    );
    const failed = early.then((error) => {
      if (this.#told.has(child)) return new Promise<never>(() => undefined);
      throw error;
    });
    failed.catch(() => undefined); // the error is not lost: the caller gets it when it waits for `failed`
    const ready = new Promise<string>((resolve) => {
      createInterface({ input: child.stdout as NodeJS.ReadableStream }).once('line', resolve);
    });
    return { line: await Promise.race([ready, failed]), pid: child.pid as number, failed };
  }

  /** Asks all processes that are left to end, and kills those that do not. */
  async end(): Promise<void> {
    this.#isOver = true;
    await this.pause();
  }

  /** The same, but others may be started afterwards, unless all of it was ended meanwhile. */
  async pause(): Promise<void> {
    this.#ending = true;
    this.#tell('SIGTERM');
    const timer = setTimeout(() => this.#tell('SIGKILL'), END_MS);
    await Promise.all(this.#alive.values());
    clearTimeout(timer);
    this.#ending = this.#isOver;
  }

  /** Kills all processes at once, for a program that is about to exit. */
  kill(): void {
    this.#isOver = true;
    this.#ending = true;
    this.#tell('SIGKILL');
  }

  #tell(signal: NodeJS.Signals): void {
    for (const child of this.#alive.keys()) {
      this.#told.add(child);
      child.kill(signal);
    }
  }

  #spawn(args: readonly string[]): ChildProcess {
    if (this.#ending) throw failure('f3', 'an end before it began');
    // process.argv[1] is this program, as source or as published.
    const child = spawn(process.execPath, [process.argv[1], ...args], {
      env: this.#environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const gone = new Promise<void>((resolve) => {
      child.once('exit', () => resolve()).once('error', () => resolve());
    }).finally(() => this.#alive.delete(child));
    this.#alive.set(child, gone);
    return child;
  }
}

/** Rejects with the last line of stderr unless the process ends with 0. */
function ended(name: string, child: ChildProcess): Promise<void> {
  let last = '';
  createInterface({ input: child.stderr as NodeJS.ReadableStream }).on('line', (line) => {
    if (line.trim() !== '') last = line;
  });
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(failure(name, error.message)));
    child.once('close', (code, signal) => {
      const found = signal ? `signal ${signal}` : `exit code ${code}`;
      if (code === 0) resolve();
      else reject(failure(name, last === '' ? found : `${found}: ${last.replace(/^f3: /, '')}`));
    });
  });
}

const failure = (name: string, found: string) =>
  new F3Error('F3_PROCESS', `${name}: its process must end well, got ${found}`);
