// Gives the demo a temporary folder and processes, and removes them all when it is over, however it ends.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChildProcesses } from '../child-processes.ts';
import { Progress } from '../terminal/progress.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const INTERRUPTED = 130;

export class DemoScene {
  readonly dir = mkdtempSync(join(tmpdir(), 'f3-demo-'));
  readonly progress = new Progress();
  readonly processes: ChildProcesses;
  readonly #keep: boolean;
  #onInterrupt: (() => void) | undefined;

  private constructor(keep: boolean) {
    this.#keep = keep;
    // Forty processes load the same modules, so they share what one of them has compiled.
    this.processes = new ChildProcesses({
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? this.path('compile-cache'),
    });
  }

  /** Runs `work` and clears up after it: when it is done, when it fails, on Ctrl-C and when the program exits. */
  static async with<T>(keep: boolean, work: (scene: DemoScene) => Promise<T>): Promise<T> {
    const scene = new DemoScene(keep);
    let interrupted = false;
    const atExit = () => {
      scene.processes.kill();
      scene.#removeFolder();
    };
    const interrupt = async () => {
      const expected = scene.#onInterrupt;
      scene.#onInterrupt = undefined;
      if (expected) return expected();
      if (interrupted) process.exit(INTERRUPTED);
      interrupted = true;
      await scene.#close();
      const kept = keep ? `; what there was is in ${scene.dir}` : '';
      process.stderr.write(`f3: interrupted${kept}\n`);
      process.exit(INTERRUPTED);
    };
    process.once('exit', atExit);
    for (const signal of SIGNALS) process.on(signal, interrupt);
    try {
      return await work(scene);
    } catch (error) {
      // Processes that end because of Ctrl-C have not failed.
      if (interrupted) await new Promise(() => undefined);
      throw error;
    } finally {
      await scene.#close();
      for (const signal of SIGNALS) process.off(signal, interrupt);
      process.off('exit', atExit);
    }
  }

  /** From now on Ctrl-C is how the demo ends, and no failure; a second one ends it at once. */
  interruption(): { promise: Promise<void>; signal: AbortSignal } {
    const ending = new AbortController();
    const promise = new Promise<void>((resolve) => {
      this.#onInterrupt = () => {
        ending.abort();
        resolve();
      };
    });
    return { promise, signal: ending.signal };
  }

  path(...parts: string[]): string {
    return join(this.dir, ...parts);
  }

  async #close(): Promise<void> {
    this.progress.stop();
    await this.processes.end();
    this.#removeFolder();
  }

  #removeFolder(): void {
    if (!this.#keep) rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
  }
}
