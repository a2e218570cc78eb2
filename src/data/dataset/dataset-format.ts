// [owner] Names and version of the files of a data set. docs/dataset-format.md describes the same format.
import type { Part } from '../../exchange/labels/sample-parts.ts';

export const DATASET_FORMAT = 'f3-dataset';
export const WINDOWS_FORMAT = 'f3-windows';
export const LABELS_FORMAT = 'f3-labels';
export const DATASET_VERSION = 1;

/** Content of dataset.json. */
export interface DatasetCard {
  format: typeof DATASET_FORMAT;
  version: typeof DATASET_VERSION;
  name: string;
  classes: string[];
  owners: string[];
  samples: number;
  simulated: boolean;
  /** Where the data came from: file name, options, seed. */
  source: Record<string, unknown>;
}

/** What one owner holds: its windows and, once the label holder has shared them, its labels. */
export interface OwnerData {
  id: string;
  /** Time steps in a window. */
  length: number;
  /** Names of the variates. */
  variates: string[];
  /** Sampling rate with its unit, e.g. `30 Hz` or `12/h`. */
  rate: string;
  /** The samples this owner saw. */
  samples: string[];
  /** [sample, time, variate] */
  windows: Float32Array;
  /** [sample]: index into `classes` */
  labels: Int32Array | undefined;
  /** [sample] */
  parts: Part[] | undefined;
  /** Names of all classes, also of those this owner never saw. */
  classes: string[] | undefined;
}
