// [coordinator] What a training was asked to do. It is fixed when the training is asked for; later bundles do not change it.

import type { SplitChoice } from '../../exchange/labels/split-sources.ts';
import { type FusionConfig, paperPreset } from '../../fuse/fusion-config.ts';
import type { GivenGraph } from '../../fuse/join/given-graph.ts';
import type { PromotionChoice } from './judge-candidate.ts';

export interface TrainingPlan {
  config: Partial<FusionConfig>;
  learningRates?: number[];
  split: SplitChoice;
  classes?: string[];
  adjacency?: GivenGraph;
  bundles: { owner: string; version: number }[];
  labels: number;
  /** What becomes of the model. Plans that an older version of f3 made do not have it. */
  promotion?: PromotionChoice;
  /** Learn only this owner's alignment again, in that version of the model. */
  refit?: { owner: string; model: number };
}

export const configOf = ({ config }: TrainingPlan): FusionConfig => ({ ...paperPreset, ...config });

/** The learning rates that the training tries. */
export const learningRatesOf = (plan: TrainingPlan): number[] => plan.learningRates ?? [configOf(plan).learningRate];
