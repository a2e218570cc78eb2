// Shows progress of a fusion on stderr: a bar with losses and the time left on a terminal, elsewhere a line every ten seconds.
import { SingleBar } from 'cli-progress';
import type { EpochReport } from '../../fuse/training/training-state.ts';
import { shownNumber } from '../terminal/shown-number.ts';

const FORMAT = 'epoch {value}/{total} {bar} train {train} validation {validation} best {best}  {left}';
/** Seconds between lines if there is no terminal. */
const LINE_SECONDS = 10;

/** How far a training goes at most. `patience` is undefined if only the coordinator knows it. */
export interface TrainingLimits {
  epochs: number;
  patience?: number;
}

/** An epoch, also one on a coordinator, which withholds losses of parts that are too small to be told of. */
export interface ShownEpoch extends Pick<EpochReport, 'epoch' | 'bestEpoch'> {
  trainLoss: number | null;
  validationLoss: number | null;
  /** The limit that the coordinator reports for a training there; it replaces our own. */
  epochs?: number;
}

export class FusionProgress {
  readonly #limits: TrainingLimits;
  readonly #start = performance.now();
  #bar: SingleBar | undefined;
  #nextLine = performance.now() + LINE_SECONDS * 1000;
  #first: number | undefined;

  constructor(limits: TrainingLimits) {
    this.#limits = limits;
  }

  readonly epoch = (report: ShownEpoch): void => {
    const { epoch, trainLoss, validationLoss, bestEpoch = epoch, epochs = this.#limits.epochs } = report;
    const losses = { train: shownNumber(trainLoss, 4), validation: shownNumber(validationLoss, 4), best: bestEpoch };
    const left = timeLeft(this.#secondsPerEpoch(epoch), { ...this.#limits, epochs, epoch, bestEpoch });
    if (process.stderr.isTTY) {
      this.#bar ??= this.#startBar(epochs);
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

  #secondsPerEpoch(epoch: number): number {
    // A resumed run, or a second learning rate, does not start at epoch 1.
    this.#first = this.#first === undefined || epoch < this.#first ? epoch - 1 : this.#first;
    return (performance.now() - this.#start) / 1000 / Math.max(1, epoch - this.#first);
  }

  #startBar(epochs: number): SingleBar {
    const bar = new SingleBar({ format: FORMAT, stream: process.stderr, hideCursor: true, clearOnComplete: false });
    bar.start(epochs, 0, { train: '–', validation: '–', best: '–', left: '' });
    return bar;
  }
}

/** The least time is until patience runs out, if nothing improves; the most is until the last epoch. */
export function timeLeft(perEpoch: number, at: TrainingLimits & { epoch: number; bestEpoch: number }): string {
  const { epoch, bestEpoch, epochs, patience } = at;
  const seconds = (count: number) => `${Math.ceil(Math.max(0, count) * perEpoch)} s`;
  const most = `at most ${seconds(epochs - epoch)}`;
  if (patience === undefined) return `${most} left`;
  return `at least ${seconds(Math.min(epochs, bestEpoch + patience) - epoch)} left, ${most}`;
}
