// Progress of a fusion on stderr: a bar with losses and the time left on a terminal, a line now and then elsewhere.
import { SingleBar } from 'cli-progress';
import type { FusionConfig } from '../fuse/fusion-config.ts';
import type { EpochReport } from '../fuse/training-state.ts';

const FORMAT = 'epoch {value}/{total} {bar} train {train} validation {validation} best {best}  {left}';
/** Without a terminal, seconds between lines. */
const LINE_SECONDS = 10;

export class FusionProgress {
  readonly #config: FusionConfig;
  readonly #start = performance.now();
  #bar: SingleBar | undefined;
  #nextLine = performance.now() + LINE_SECONDS * 1000;
  #first: number | undefined;

  constructor(config: FusionConfig) {
    this.#config = config;
  }

  readonly epoch = (report: EpochReport & { learningRate?: number }): void => {
    const { epoch, trainLoss, validationLoss, bestEpoch = epoch } = report;
    const losses = { train: trainLoss.toFixed(4), validation: validationLoss.toFixed(4), best: bestEpoch };
    const left = this.#left(epoch, bestEpoch);
    if (process.stderr.isTTY) {
      this.#bar ??= this.#startBar();
      this.#bar.update(epoch, { ...losses, left });
      return;
    }
    if (performance.now() < this.#nextLine) return;
    this.#nextLine = performance.now() + LINE_SECONDS * 1000;
    const { train, validation, best } = losses;
    process.stderr.write(`epoch ${epoch}: train ${train}, validation ${validation}, best epoch ${best}, ${left}\n`);
  };

  stop(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }

  /** Training may go on to the last epoch, or end when patience does: the time until then if nothing gets better. */
  #left(epoch: number, best: number): string {
    const { epochs, patience } = this.#config;
    // A resumed run, or a second learning rate, does not start at epoch 1.
    this.#first = this.#first === undefined || epoch < this.#first ? epoch - 1 : this.#first;
    const perEpoch = (performance.now() - this.#start) / 1000 / Math.max(1, epoch - this.#first);
    const seconds = (count: number) => `${Math.ceil(Math.max(0, count) * perEpoch)} s`;
    return `at least ${seconds(Math.min(epochs, best + patience) - epoch)} left, at most ${seconds(epochs - epoch)}`;
  }

  #startBar(): SingleBar {
    const bar = new SingleBar({ format: FORMAT, stream: process.stderr, hideCursor: true, clearOnComplete: false });
    bar.start(this.#config.epochs, 0, { train: '–', validation: '–', best: '–', left: '' });
    return bar;
  }
}
