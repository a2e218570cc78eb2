// [coordinator] What a model is scored on: labels and a split as they are stored, and which samples of them were chosen.
import type { PlanLists } from '../training/plan-lists.ts';

export interface EvaluatedData {
  /** Labels as they are stored. */
  labels: Uint8Array<ArrayBuffer>;
  /** What messages call them. */
  labelsName: string;
  classes: string[] | undefined;
  /** The split, as its plan keeps it. */
  lists: PlanLists;
}

export interface ChosenPart {
  /** Samples that are scored. */
  samples: string[];
  /** Samples of the whole validation part that have a label. */
  of: number;
  /** Whether all of them were chosen. */
  isWhole: boolean;
}
