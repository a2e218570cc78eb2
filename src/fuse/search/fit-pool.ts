// [coordinator] Worker threads that make fits side by side. A fit does not depend on the others, nor on how many there are.
import { WorkerThread } from '../../base/worker-thread.ts';
import type { FusionInput } from '../join/fusion-input.ts';
import type { EpochReport } from '../training/training-state.ts';
import type { FitAnswer, FitQuestion } from './fit-worker.ts';
import { sendInput } from './search-input.ts';

type Fitter = WorkerThread<FitQuestion, FitAnswer, EpochReport>;

/** A fit to be made. */
export interface FitTask {
  config: Extract<FitQuestion, { kind: 'fit' }>['config'];
  /** Folder for the state of the fit while it is made. */
  checkpoint: string | undefined;
  /** The loss that the fit is measured against, see `isHopeless`; without it the fit is never given up. */
  bar: number | undefined;
  onStart: () => void;
  onEpoch: (report: EpochReport) => void;
  onDone: (record: Uint8Array<ArrayBuffer>) => void;
}

export class FitPool {
  readonly #input: FusionInput;
  readonly #about: string;
  readonly #most: number;
  readonly #idle: Fitter[] = [];
  readonly #all: Fitter[] = [];
  readonly #listeners = new Map<Fitter, (report: EpochReport) => void>();

  /** The input's tensors must stay until the pool is disposed. */
  constructor(input: FusionInput, about: string, most: number) {
    this.#input = input;
    this.#about = about;
    this.#most = most;
  }

  /** Makes all fits. The first that throws ends the call; what is under way then ends with the pool. */
  async run(tasks: readonly FitTask[], mayStart: () => boolean): Promise<void> {
    const waiting = [...tasks];
    const lanes = Array.from({ length: Math.min(this.#most, tasks.length) }, async () => {
      const fitter = this.#idle.pop() ?? (await this.#start());
      for (let task = waiting.shift(); task && mayStart(); task = waiting.shift()) {
        const { config, checkpoint, bar, onStart, onEpoch, onDone } = task;
        this.#listeners.set(fitter, onEpoch);
        onStart();
        onDone((await fitter.ask({ kind: 'fit', config, checkpoint, bar })) as Uint8Array<ArrayBuffer>);
      }
      this.#idle.push(fitter);
    });
    await Promise.all(lanes);
  }

  async #start(): Promise<Fitter> {
    const onReport = (report: EpochReport) => this.#listeners.get(fitter)?.(report);
    const fitter: Fitter = new WorkerThread(new URL('./fit-worker', import.meta.url), { name: 'f3-fit', onReport });
    this.#all.push(fitter);
    await fitter.ask({ kind: 'begin', input: sendInput(this.#input), about: this.#about });
    return fitter;
  }

  /** Ends all threads, whatever they are doing. */
  async dispose(): Promise<void> {
    await Promise.all(this.#all.map((fitter) => fitter.dispose()));
  }
}
