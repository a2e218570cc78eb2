// The result of `f3 demo`.
import type { Measured } from '../../figures/result.ts';
import type { PairedDifference } from '../../fuse/scores/paired-difference.ts';
import type { DemoGraph } from './demo-graph.ts';
import type { DemoOwnerReport } from './demo-owner.ts';

export const MEAN_POOLING = 'mean pooling';
export const FUSED = 'F³';
export const GRAPHED = 'F³ with a graph';

/** A model, with all owners present or only some of them. */
export interface DemoSide {
  model: string;
  /** Some owners took no part in the prediction. */
  someAbsent: boolean;
}

export interface DemoRow extends DemoSide {
  f1: Measured;
  auc: Measured;
  accuracy: Measured;
}

/** Macro F1 of one side minus that of the other. */
export interface DemoComparison extends PairedDifference {
  first: DemoSide;
  second: DemoSide;
}

/** One event that owners saw live. */
export interface DemoAnswer {
  sample: string;
  truth: string;
  class: string;
  /** Probability of that class. */
  probability: number;
  /** Owners whose embedding the answer rests on. */
  present: string[];
}

/** Times are milliseconds since 1970. */
export interface DemoOwner extends DemoOwnerReport {
  started: number;
  ended: number;
}

export interface DemoResult {
  simulated: true;
  owners: number;
  samples: number;
  /** Samples in the test part. */
  tested: number;
  seed: number;
  /** Number of fits of each model that learns; scores are their mean. */
  fits: number;
  classes: string[];
  rows: DemoRow[];
  comparisons: DemoComparison[];
  graph: DemoGraph;
  /** Owners that stayed away from live prediction. */
  absent: string[];
  live: DemoAnswer[];
  processes: { demo: number; coordinator: number; owners: DemoOwner[]; trainingStarted: number };
  /** Per model and fit the validation loss of each epoch. */
  curves: { label: string; seeds: number[][] }[];
  seconds: number;
}

export const rowName = (
  { model, someAbsent }: DemoSide,
  { absent, owners }: Pick<DemoResult, 'absent' | 'owners'>,
): string => (someAbsent ? `${model}, ${absent.length} of ${owners} owners absent` : model);
