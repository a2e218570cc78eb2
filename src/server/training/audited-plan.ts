// [coordinator] A training's plan as the audit log tells it: its options, and which split it was scored on.
import type { JsonObject } from '../../storage/schema.ts';
import type { PreparedPlan } from './plan-training.ts';
import type { SplitFacts } from './split-digest.ts';

/** Longer lists of names are counted: an entry of the log stays short. */
const MOST_NAMES = 20;

export function auditedPlan({ plan, split, graph, without = [] }: PreparedPlan): JsonObject {
  const { config, learningRates, classes, bundles, labels, refit, search, ensemble } = plan;
  return {
    bundles: bundles.length,
    labels,
    config,
    split: splitIdentity(split),
    ...(learningRates && { learningRates }),
    ...(classes && { classes: classes.length }),
    ...(graph && { adjacency: graph.sha256 }),
    ...(without.length > 0 && { without: without.length > MOST_NAMES ? without.length : [...without] }),
    ...(refit && { refit }),
    ...(search && { search }),
    ...(ensemble && { ensemble }),
  };
}

/** The seed of a random split, or the size of each part and one hash over all: the same parts in any order have the same. */
const splitIdentity = (split: SplitFacts): JsonObject =>
  typeof split === 'number' ? { seed: split } : { ...split.sizes, sha256: split.sha256 };
