// A coordinator in a process of its own, to be killed at will.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { MAIN } from '../cli/run-f3.ts';

export class CoordinatorProcess {
  readonly url: string;
  readonly operatorKey: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string, operatorKey: string) {
    this.#child = child;
    this.url = url;
    this.operatorKey = operatorKey;
  }

  static async start(
    data: string,
    { database, port = 0 }: { database?: string; port?: number } = {},
  ): Promise<CoordinatorProcess> {
    const where = database ? ['--database', database] : [];
    const args = [
      'serve',
      '--data',
      data,
      '--port',
      String(port),
      '--threads',
      '1',
      '--log-level',
      'error',
      '--json',
      ...where,
    ];
    const env = { ...process.env, F3_CHECKPOINT_SECONDS: '0.05' };
    const child = spawn(process.execPath, [MAIN, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of createInterface({ input: child.stdout })) {
      const { url, operatorKey } = JSON.parse(line) as { url: string; operatorKey: string };
      return new CoordinatorProcess(child, url, operatorKey);
    }
    throw new Error('the coordinator ended before it listened');
  }

  /** Without a chance to put anything in order. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }

  async stop(): Promise<number | null> {
    this.#child.kill('SIGTERM');
    const [code] = (await once(this.#child, 'exit')) as [number | null];
    return code;
  }
}
