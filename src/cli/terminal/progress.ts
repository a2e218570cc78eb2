// Shows progress on stderr: a bar with the time left on a terminal; elsewhere a line per stage and one every ten seconds.
import { SingleBar } from 'cli-progress';
import type { ProgressDetail, ProgressListener } from '../../data/import/import-report.ts';

/**
 * Runs `work` and shows its progress. Ctrl-C exits with 130, and exit handlers remove half-written files. Work that never
 * yields to the event loop should not use this, so that the signal itself ends it.
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

/** Milliseconds between lines if there is no terminal. */
const LINE_MS = 10_000;

type ProgressStream = NodeJS.WritableStream & { isTTY?: boolean };

/** Shows stages one after the other. `stop` must be called before anything else is written. */
export class Progress {
  readonly #stream: ProgressStream;
  #stage = '';
  #bar: SingleBar | undefined;
  #started = 0;
  /** What was done when the stage began or was resumed; it does not count for the pace. */
  #before = 0;
  #nextLine = 0;

  constructor(stream: ProgressStream = process.stderr) {
    this.#stream = stream;
  }

  readonly update: ProgressListener = (stage, done, total, more = {}) => {
    if (stage !== this.#stage) this.#start(stage, done, total);
    if (this.#bar) this.#bar.update(done, { left: this.#left(done, total, more), note: more.note ?? '' });
    else if ((done > 0 || more.note) && done < total) this.#writeLine(done, total, more);
  };

  stop(): void {
    this.#bar?.stop();
    this.#bar = undefined;
    this.#stage = '';
  }

  #start(stage: string, done: number, total: number): void {
    this.stop();
    this.#stage = stage;
    this.#before = done;
    this.#started = performance.now();
    this.#nextLine = this.#started + LINE_MS;
    if (!this.#stream.isTTY || total <= 1) {
      this.#stream.write(`${stage}\n`);
      return;
    }
    const format = `${stage.padEnd(20)} {bar} {value}/{total}  {left}  {note}`;
    this.#bar = new SingleBar({ format, stream: this.#stream, hideCursor: true, clearOnComplete: false });
    this.#bar.start(total, 0, { left: '', note: '' });
  }

  #writeLine(done: number, total: number, more: ProgressDetail): void {
    const now = performance.now();
    if (now < this.#nextLine) return;
    this.#nextLine = now + LINE_MS;
    const parts = [`${this.#stage}: ${done} of ${total}`, this.#left(done, total, more), more.note];
    this.#stream.write(`${parts.filter(Boolean).join(', ')}\n`);
  }

  /** Returns an empty text while the time left is unknown. */
  #left(done: number, total: number, { secondsLeft }: ProgressDetail): string {
    if (done >= total) return '';
    const elapsed = (performance.now() - this.#started) / 1000;
    const here = done - this.#before;
    const seconds = secondsLeft ?? (here > 0 ? (elapsed / here) * (total - done) : undefined);
    return seconds === undefined ? '' : `about ${roughly(seconds)} left`;
  }
}

/** Rounds to the second up to two minutes, then to the minute. */
export function roughly(seconds: number): string {
  if (seconds <= 120) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
