// [coordinator] Boosted trees on the owners' embeddings as a fused model: trained, with every learning rate that is to be tried.
import type { Engine } from '../../core/engine/engine.ts';
import type { Part } from '../../exchange/labels/sample-parts.ts';
import type { FuseOptions } from '../fuse-owners.ts';
import type { FusionConfig } from '../fusion-config.ts';
import type { FusionInput } from '../join/fusion-input.ts';
import { ownerFeatures } from './owner-features.ts';
import { BOOSTING_DEFAULTS, type BoostingRun, trainBoosting } from './train-boosting.ts';

/** A run under one learning rate. */
export interface TreeRun extends BoostingRun {
  learningRate: number;
}

/**
 * With owner dropout a tree looks at a part of all numbers, so that trees lean on different owners; it takes half the time, and
 * the validation loss with owners absent is no higher for it.
 */
const FEATURE_SHARE = 0.3;
/** Few numbers are all looked at. */
const LEAST_FEATURES = 64;

/** One run per learning rate, in their order. An iteration counts as an epoch. */
export async function fuseTrees(
  engine: Engine,
  { joined, labels, split }: FusionInput,
  config: FusionConfig,
  { learningRates = [config.learningRate], onEpoch, signal }: Pick<FuseOptions, 'learningRates' | 'onEpoch' | 'signal'>,
): Promise<TreeRun[]> {
  const { width, isComplete } = joined;
  const owners = joined.owners.length;
  const present = isComplete ? undefined : joined.present.data;
  const samples = (part: Part) => ({
    values: ownerFeatures({ embeddings: joined.embeddings.data, present, owners, width }, split[part]),
    labels: Int32Array.from(split[part], (row) => labels.labels[row]),
  });
  const data = {
    features: owners * width,
    classes: labels.classes.length,
    train: samples('train'),
    validation: samples('validation'),
  };
  const { epochs: iterations, patience, ownerDropout: dropout, seed } = config;
  const featureShare = dropout > 0 ? Math.max(FEATURE_SHARE, Math.min(1, LEAST_FEATURES / data.features)) : 1;
  const runs: TreeRun[] = [];
  for (const learningRate of learningRates) {
    const options = {
      ...BOOSTING_DEFAULTS,
      learningRate,
      iterations,
      patience,
      featureShare,
      dropout,
      group: width,
      seed,
    };
    const run = await trainBoosting(engine, data, options, {
      signal,
      onEpoch: onEpoch && ((report) => onEpoch({ ...report, learningRate })),
    });
    runs.push({ ...run, learningRate });
  }
  return runs;
}
