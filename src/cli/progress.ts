// Progress on stderr: a bar with the time left on a terminal, one line per stage elsewhere.
import { SingleBar } from 'cli-progress';
import type { ProgressListener } from '../data/import-report.ts';

/**
 * Runs `work` and shows its progress. Ctrl-C exits with 130, whereupon whoever has half-written files removes them; work
 * that never yields to the event loop should do without, and be ended by the signal itself.
 */
export async function withProgress<T>(work: (listener: ProgressListener) => Promise<T>): Promise<T> {
  const progress = new Progress();
  const exit = () => {
    progress.stop();
    process.stderr.write('f3: interrupted\n');
    process.exit(130);
  };
  process.on('SIGINT', exit);
  try {
    return await work(progress.update);
  } finally {
    process.off('SIGINT', exit);
    progress.stop();
  }
}

/** Stages, one after the other. `stop` before anything else is written. */
export class Progress {
  #stage = '';
  #bar: SingleBar | undefined;

  readonly update: ProgressListener = (stage, done, total) => {
    if (stage !== this.#stage) this.#start(stage, total);
    this.#bar?.update(done);
  };

  stop(): void {
    this.#bar?.stop();
    this.#bar = undefined;
    this.#stage = '';
  }

  #start(stage: string, total: number): void {
    this.stop();
    this.#stage = stage;
    if (!process.stderr.isTTY || total <= 1) {
      process.stderr.write(`${stage}\n`);
      return;
    }
    const format = `${stage.padEnd(20)} {bar} {value}/{total}  {eta_formatted} left`;
    this.#bar = new SingleBar({ format, stream: process.stderr, hideCursor: true, clearOnComplete: false });
    this.#bar.start(total, 0);
  }
}
