// A coordinator in a process of its own, to be killed at will.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { MAIN } from '../cli/run-f3.ts';

export interface CoordinatorOptions {
  /** URL of a PostgreSQL database instead of the embedded one. */
  database?: string | undefined;
  port?: number | undefined;
  /** Options of Node. */
  node?: string[];
  /** More options of `f3 serve`; of two the last counts. */
  serve?: string[];
  /** File that says what is wrong with its machine (machine-faults.ts). */
  faults?: string | undefined;
  /** Milliseconds after which a start counts as hanging, and is killed. */
  startMs?: number;
  /** The file descriptor to which its log goes. */
  log?: number | 'inherit' | 'ignore';
}

const FAULTS = new URL('machine-faults.ts', import.meta.url).href;
const START_MS = 500_000;

export class CoordinatorProcess {
  url = '';
  operatorKey = '';
  readonly #child: ChildProcess;
  readonly #startMs: number;
  #listening: Promise<void> | undefined;

  private constructor(child: ChildProcess, startMs = START_MS) {
    this.#child = child;
    this.#startMs = startMs;
    // Its output is read from the beginning: of a process that has ended before somebody asks, nothing would come any more.
    this.listening().catch(() => undefined);
  }

  /** Starts the process without waiting for anything. */
  static launch(data: string, options: CoordinatorOptions = {}): CoordinatorProcess {
    const { database, port = 0, serve = [], log = 'inherit', faults } = options;
    const node = [...(faults ? ['--import', FAULTS] : []), ...(options.node ?? [])];
    const fixed = ['--threads', '1', '--log-level', 'error', '--json', '--requests-per-minute', '1000000'];
    const where = ['--data', data, '--port', String(port), ...(database ? ['--database', database] : [])];
    const env = { ...process.env, F3_CHECKPOINT_SECONDS: '0.05', ...(faults && { F3_MACHINE_FAULTS: faults }) };
    return new CoordinatorProcess(
      spawn(process.execPath, [...node, MAIN, 'serve', ...where, ...fixed, ...serve], {
        env,
        stdio: ['ignore', 'pipe', log],
      }),
      options.startMs,
    );
  }

  static async start(data: string, options: CoordinatorOptions = {}): Promise<CoordinatorProcess> {
    const coordinator = CoordinatorProcess.launch(data, options);
    await coordinator.listening();
    return coordinator;
  }

  listening(): Promise<void> {
    this.#listening ??= this.#readAddress();
    return this.#listening;
  }

  async #readAddress(): Promise<void> {
    if (!this.#child.stdout) throw new Error('the coordinator has no output');
    const overdue = setTimeout(() => this.#child.kill('SIGKILL'), this.#startMs);
    this.#child.once('exit', () => clearTimeout(overdue));
    for await (const line of createInterface({ input: this.#child.stdout })) {
      clearTimeout(overdue);
      Object.assign(this, JSON.parse(line) as { url: string; operatorKey: string });
      return;
    }
    const how = this.#child.exitCode ?? this.#child.signalCode;
    throw new Error(`the coordinator ended before it listened (${how})`);
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  /** Ends the process without a chance to put anything in order. */
  async kill(): Promise<void> {
    if (this.#isOver()) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }

  async stop(): Promise<number | null> {
    if (this.#isOver()) return this.#child.exitCode;
    this.#child.kill('SIGTERM');
    const [code] = (await once(this.#child, 'exit')) as [number | null];
    return code;
  }

  /** Whether it has ended, by itself or because somebody ended it. */
  get isOver(): boolean {
    return this.#isOver();
  }

  #isOver(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }
}
