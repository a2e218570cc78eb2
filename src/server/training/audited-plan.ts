// [coordinator] A training's plan as the audit log tells it: its options, and which split it was scored on.
import { canonicalJson } from '../../base/canonical-json.ts';
import { sha256 } from '../../base/sha256.ts';
import type { SplitChoice } from '../../exchange/labels/split-sources.ts';
import type { JsonObject } from '../../storage/schema.ts';
import type { TrainingPlan } from './training-plan.ts';

export function auditedPlan({ config, learningRates, split, classes, adjacency, ...plan }: TrainingPlan): JsonObject {
  const { bundles, labels, refit, search, ensemble } = plan;
  return {
    bundles: bundles.length,
    labels,
    config,
    split: splitIdentity(split),
    ...(learningRates && { learningRates }),
    ...(classes && { classes: classes.length }),
    ...(adjacency && { adjacency: sha256(canonicalJson(adjacency)) }),
    ...(refit && { refit }),
    ...(search && { search }),
    ...(ensemble && { ensemble }),
  };
}

/** The seed of a random split, or the size of each part and one hash over all: the same parts in any order have the same. */
function splitIdentity(split: SplitChoice): JsonObject {
  if (typeof split === 'number') return { seed: split };
  const { train, validation, test } = split;
  const parts = [train, validation, test].map((ids) => [...ids].sort());
  return {
    train: train.length,
    validation: validation.length,
    test: test.length,
    sha256: sha256(canonicalJson(parts)),
  };
}
