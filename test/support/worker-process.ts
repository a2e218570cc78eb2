// A worker in a process of its own, to be killed at will.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { MAIN } from '../cli/run-f3.ts';

export class WorkerProcess {
  readonly #child: ChildProcess;

  constructor(database: string) {
    const args = [MAIN, 'worker', '--database', database, '--threads', '1'];
    this.#child = spawn(process.execPath, args, { stdio: 'ignore' });
  }

  /** Ends the process without a chance to put anything in order. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}
