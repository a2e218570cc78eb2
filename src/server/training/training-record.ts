// [coordinator] Writes progress and checkpoints of a running training to the database while it goes on.
import { saveCheckpoint } from '../../storage/checkpoints.ts';
import type { Db, JsonObject } from '../../storage/schema.ts';
import { saveTrainingFit } from '../../storage/training-fits.ts';
import { reportProgress, type TrainingRun } from '../../storage/trainings.ts';
import type { Disclosure } from './disclosure.ts';
import { type StoredPoint, TrainingCurve } from './training-curve.ts';

export class TrainingRecord {
  readonly #db: Db;
  readonly #run: TrainingRun;
  readonly #stop: () => void;
  /** The newest report that is not yet written. Epochs may end faster than reports are written, so it replaces older ones. */
  #newest: JsonObject | undefined;
  readonly #curve: TrainingCurve;
  #reporting: Promise<void> | undefined;
  #saving: Promise<void> = Promise.resolve();
  #isCancelled = false;
  #disclosing: Promise<Disclosure | undefined> = Promise.resolve(undefined);

  /**
   * `stop` is called when somebody wants the training cancelled, or when nothing can be written any more. `before` is the curve of
   * an earlier attempt.
   */
  constructor(db: Db, run: TrainingRun, stop: () => void, before: readonly StoredPoint[] = []) {
    this.#curve = new TrainingCurve(before);
    this.#db = db;
    this.#run = run;
    this.#stop = stop;
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** Somebody wants the training cancelled. */
  cancel(): void {
    this.#isCancelled = true;
    this.#stop();
  }

  /** `earlier`: epochs since the last report, for the curve. */
  report(progress: JsonObject, earlier: readonly object[] = []): void {
    for (const epoch of earlier) this.#curve.add({ ...epoch });
    this.#newest = progress;
    this.#curve.add(progress);
    if (this.#reporting) return;
    this.#reporting = this.#writeReports();
    this.#reporting.catch(this.#stop); // `settled` rejects with the error
  }

  /** Decides which parts are told of, before anybody reads a report of them. */
  disclose(decide: () => Promise<Disclosure>): void {
    this.#disclosing = decide();
    this.#disclosing.catch(this.#stop);
  }

  /** Which parts are told of, if it was decided. */
  disclosure(): Promise<Disclosure | undefined> {
    return this.#disclosing;
  }

  /** Resolves when the checkpoint is written. */
  save(learningRate: number, bytes: Uint8Array): Promise<void> {
    this.#saving = this.#saving.then(() => saveCheckpoint(this.#db, this.#run, learningRate, bytes));
    this.#saving.catch(this.#stop);
    return this.#saving;
  }

  /** Keeps a fit that is finished. `settled` waits for it. */
  saveFit(name: string, bytes: Uint8Array): void {
    this.#saving = this.#saving.then(() => saveTrainingFit(this.#db, this.#run, name, bytes));
    this.#saving.catch(this.#stop);
  }

  /** Resolves when all reports and checkpoints are written. */
  async settled(): Promise<void> {
    await Promise.all([this.#reporting, this.#saving, this.#disclosing]);
  }

  async #writeReports(): Promise<void> {
    while (this.#newest) {
      const progress = this.#newest;
      this.#newest = undefined;
      if (await reportProgress(this.#db, this.#run, progress, this.#curve.points)) this.cancel();
    }
    this.#reporting = undefined;
  }
}
