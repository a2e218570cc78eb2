// [coordinator] What a training learns from, read from the database as it was when the training was asked for.
import type { Engine } from '../core/engine.ts';
import { F3Error } from '../errors.ts';
import { decodeBundle } from '../exchange/bundle.ts';
import { decodeLabels } from '../exchange/labels.ts';
import { BundleJoin } from '../fuse/bundle-join.ts';
import type { FusionInput } from '../fuse/fuse-owners.ts';
import type { FusionConfig } from '../fuse/fusion-config.ts';
import { placeSplit, type SplitIds } from '../fuse/place-split.ts';
import { randomSplit } from '../sample-parts.ts';
import { readBlob } from '../storage/blobs.ts';
import { requireBundle } from '../storage/bundles.ts';
import { requireLabelSet } from '../storage/label-sets.ts';
import type { Db } from '../storage/schema.ts';
import { type GivenGraph, orderGivenGraph } from './given-graph.ts';

/** What a training was asked to do, fixed when it was asked: later bundles do not change it. */
export interface TrainingPlan {
  config: Partial<FusionConfig>;
  learningRates?: number[];
  split: number | SplitIds;
  classes?: string[];
  adjacency?: GivenGraph;
  bundles: { owner: string; version: number }[];
  labels: number;
  /** Learn this owner's alignment anew, in that version of the model, and nothing else. */
  refit?: { owner: string; model: number };
}

/** `owners`: in this order and of these widths, for a model that exists. */
export async function readTrainingInput(
  engine: Engine,
  db: Db,
  federation: string,
  plan: TrainingPlan,
  owners?: { owner: string; width?: number }[],
): Promise<FusionInput> {
  const stored = await requireLabelSet(db, federation, plan.labels);
  const labels = decodeLabels(await readBlob(db, stored.blob), `labels version ${plan.labels}`, plan.classes);
  const wanted = owners ? { owners } : { expected: plan.bundles.length };
  const join = new BundleJoin(engine, { samples: labels.samples, ...wanted });
  for (const { owner, version } of plan.bundles) {
    const { blob, sha256 } = await requireBundle(db, federation, owner, version);
    const bundle = decodeBundle(await readBlob(db, blob), `bundle ${owner}`);
    if (join.add(bundle, sha256).joined === 0) {
      throw new F3Error('F3_FUSE_OVERLAP', `bundle ${owner}: must have samples in common with the labels, got none`);
    }
  }
  const joined = join.finish();
  const ids = typeof plan.split === 'number' ? randomSplit(labels.samples, plan.split) : plan.split;
  const { rows } = placeSplit(ids, joined, labels);
  const order = joined.owners.map(({ owner }) => owner);
  const adjacency = plan.adjacency && orderGivenGraph(plan.adjacency, order);
  return { joined, labels, split: rows, ...(adjacency && { adjacency }) };
}
