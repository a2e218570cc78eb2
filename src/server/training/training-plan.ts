// [coordinator] What a training was asked to do, fixed when it was asked: later bundles do not change it.

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
  /** What becomes of the model; a plan of an older f3 says nothing of it. */
  promotion?: PromotionChoice;
  /** Learn this owner's alignment anew, in that version of the model, and nothing else. */
  refit?: { owner: string; model: number };
}

export const configOf = ({ config }: TrainingPlan): FusionConfig => ({ ...paperPreset, ...config });

/** Those that are tried. */
export const learningRatesOf = (plan: TrainingPlan): number[] => plan.learningRates ?? [configOf(plan).learningRate];
