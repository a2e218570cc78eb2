// [owner] What an import or a simulation says while it runs and when it is done.

/** Called with a stage's name, how much of it is done and how much there is. */
export type ProgressListener = (stage: string, done: number, total: number) => void;

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
