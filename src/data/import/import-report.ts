// [owner] What an import or a simulation says while it runs and when it is done.

/** Called with a stage's name, how much of it is done and how much there is. */
export type ProgressListener = (stage: string, done: number, total: number, more?: ProgressDetail) => void;

export interface ProgressDetail {
  /** Where parts take unlike times; else as long as those before. */
  secondsLeft?: number | undefined;
  /** What is under way. */
  note?: string;
}

export interface ImportReport {
  /** The data set's directory. */
  out: string;
  owners: number;
  samples: number;
  /** Samples of each class. */
  classes: number[];
  /** Windows left out because of gaps, over all owners. */
  dropped: number;
}
