// Progress on stderr: a bar with the time left on a terminal; elsewhere a line per stage, and one now and then.
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

/** Without a terminal, milliseconds between lines. */
const LINE_MS = 10_000;

/** Stages, one after the other. `stop` before anything else is written. */
export class Progress {
  #stage = '';
  #bar: SingleBar | undefined;
  #started = 0;
  #nextLine = 0;

  readonly update: ProgressListener = (stage, done, total) => {
    if (stage !== this.#stage) this.#start(stage, total);
    this.#bar?.update(done);
    if (!this.#bar && done > 0 && done < total) this.#tell(done, total);
  };

  stop(): void {
    this.#bar?.stop();
    this.#bar = undefined;
    this.#stage = '';
  }

  #start(stage: string, total: number): void {
    this.stop();
    this.#stage = stage;
    this.#started = performance.now();
    this.#nextLine = this.#started + LINE_MS;
    if (!process.stderr.isTTY || total <= 1) {
      process.stderr.write(`${stage}\n`);
      return;
    }
    const format = `${stage.padEnd(20)} {bar} {value}/{total}  {eta_formatted} left`;
    this.#bar = new SingleBar({ format, stream: process.stderr, hideCursor: true, clearOnComplete: false });
    this.#bar.start(total, 0);
  }

  #tell(done: number, total: number): void {
    const now = performance.now();
    if (now < this.#nextLine) return;
    this.#nextLine = now + LINE_MS;
    const left = ((now - this.#started) / 1000 / done) * (total - done);
    process.stderr.write(`${this.#stage}: ${done} of ${total}, about ${Math.ceil(left)} s left\n`);
  }
}
