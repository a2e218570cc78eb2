// [coordinator] Finds the split of a refit in a thread: compares what was asked for with the model's own, and states the ids of each part
// where a seed would draw others by now.
import { decodeLabels } from '../../exchange/labels/labels.ts';
import { splitIds } from '../../exchange/labels/split-sources.ts';
import { splitIdentity } from '../../fuse/join/split-identity.ts';
import { checkRefitSplit } from '../../fuse/training/check-refit.ts';
import { type KeptSplit, type PlanLists, packLists, unpackSplit } from './plan-lists.ts';
import type { RefitSplitQuestion } from './refit-split.ts';
import { splitFacts } from './split-digest.ts';

export function answerRefitSplit({ owner, given, own, labels, isNewest }: RefitSplitQuestion): KeptSplit {
  if (!own || !labels) return kept(given ?? {});
  const { samples } = decodeLabels(labels.bytes, labels.name, labels.classes);
  const split = unpackSplit(own);
  if (given) {
    checkRefitSplit(owner, splitIdentity(split, samples), splitIdentity(unpackSplit(given), samples));
  }
  return kept(isNewest ? own : { split: splitIds(split, samples) });
}

function kept(lists: PlanLists): KeptSplit {
  const split = unpackSplit(lists);
  return { lists: packLists({ split }), facts: splitFacts(split) };
}
