// [owner] What an import or a simulation reports while it runs and when it is done.

/** Called with the name of a stage, how much of it is done and how much there is in all. */
export type ProgressListener = (stage: string, done: number, total: number, detail?: ProgressDetail) => void;

/** What a progress report may add. */
export interface ProgressDetail {
  /** Seconds left, where parts differ in length. By default the parts that are done tell. */
  secondsLeft?: number | undefined;
  /** The part that is under way. */
  note?: string;
}

/** What an import wrote. */
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
