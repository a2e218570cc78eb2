// [coordinator] What a training was asked to do. It is fixed when the training is asked for; later bundles do not change it.

import type { SplitChoice } from '../../exchange/labels/split-sources.ts';
import { type FusionConfig, paperPreset } from '../../fuse/fusion-config.ts';
import type { GivenGraph } from '../../fuse/join/given-graph.ts';
import type { SearchBudget } from '../../fuse/search/search-budget.ts';
import { type FixedFields, LARGEST_SEARCHED } from '../../fuse/search/search-space.ts';
import type { TrainingSizes } from '../../fuse/training/training-memory.ts';
import type { NamedSplit } from '../../storage/label-rules.ts';
import type { BundleRow, LabelSetRow } from '../../storage/schema.ts';
import type { PromotionChoice } from './judge-candidate.ts';
import type { PartRules } from './part-rules.ts';
import type { SplitDigest } from './split-digest.ts';

export interface TrainingPlan {
  config: Partial<FusionConfig>;
  learningRates?: number[];
  /** The seed of a random split, or the ids of each part; absent where `packed` has them. */
  split?: SplitChoice;
  classes?: string[];
  adjacency?: GivenGraph;
  /** The ids of each part and the graph, where they are long (`unpackLists`). */
  packed?: string;
  /** What is known of a split by ids. Plans that an older version of f3 made do not have it. */
  parts?: SplitDigest;
  bundles: { owner: string; version: number }[];
  labels: number;
  /** What becomes of the model. Plans that an older version of f3 made do not have it. */
  promotion?: PromotionChoice;
  /** The split without a sample's name. Plans that an older version of f3 made do not have it. */
  splitName?: NamedSplit;
  /** What the label holder asks of the parts. */
  partRules?: PartRules;
  /** From which its memory is estimated. Plans that an older version of f3 made do not have them. */
  sizes?: TrainingSizes;
  /** Search for a config on the validation part, with these fields fixed. `config` then says nothing. */
  search?: { fixed: FixedFields; budget: SearchBudget; absenceWeight?: number | undefined };
  /** Several fits that differ by their seed, as one model. */
  ensemble?: { fits: number; calibrate: boolean };
  /** Train with the entities of the federation's charter; its fingerprint. */
  onShares?: string;
  /** Learn only this owner's alignment again, in that version of the model. */
  refit?: { owner: string; model: number };
}

export const configOf = ({ config }: TrainingPlan): FusionConfig => ({ ...paperPreset, ...config });

/** The config by which memory is estimated: of a search the largest that it may try. */
export const largestConfig = (plan: TrainingPlan): FusionConfig =>
  plan.search ? { ...LARGEST_SEARCHED, ...plan.config } : configOf(plan);

/** The learning rates that the training tries. */
export const learningRatesOf = (plan: TrainingPlan): number[] => plan.learningRates ?? [configOf(plan).learningRate];

/** The sizes of a training that learns from these bundles and labels, as they were found when each was received. */
export function sizesOf(
  bundles: readonly Pick<BundleRow, 'size' | 'summary'>[],
  labels: Pick<LabelSetRow, 'summary'>,
  { classes, learningRates = [] }: Pick<TrainingPlan, 'classes' | 'learningRates'>,
): TrainingSizes {
  const largest = (numbers: readonly number[]) => numbers.reduce((most, number) => Math.max(most, number), 0);
  const named = classes ?? (labels.summary.classes as string[] | undefined);
  return {
    owners: bundles.length,
    samples: Number(labels.summary.samples),
    width: largest(bundles.map(({ summary }) => Number(summary.width))),
    classes: named?.length ?? 2,
    largestBundle: largest(bundles.map(({ size }) => size)),
    largestRows: largest(bundles.map(({ summary }) => Number(summary.samples) || 0)),
    learningRates: Math.max(1, learningRates.length),
  };
}
