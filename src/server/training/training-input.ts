// [coordinator] What a training learns from: labels and bundles as they were stored, decoded and joined one by one.
import type { Engine } from '../../core/engine/engine.ts';
import { F3Error } from '../../errors.ts';
import { decodeBundle } from '../../exchange/bundle/bundle.ts';
import { decodeLabels, type LabelSet } from '../../exchange/bundle/labels.ts';
import { randomSplit } from '../../exchange/bundle/sample-parts.ts';
import type { FusionInput } from '../../fuse/fuse-owners.ts';
import { BundleJoin } from '../../fuse/join/bundle-join.ts';
import { placeSplit } from '../../fuse/join/place-split.ts';
import { orderGivenGraph } from './given-graph.ts';
import type { TrainingPlan } from './training-plan.ts';

export interface StoredBundle {
  owner: string;
  sha256: string;
  bytes: Uint8Array<ArrayBuffer>;
}

export class TrainingInput {
  readonly #plan: TrainingPlan;
  readonly #labels: LabelSet;
  readonly #join: BundleJoin;

  /** `owners`: in this order and of these widths, for a model that exists. */
  constructor(engine: Engine, plan: TrainingPlan, labels: Uint8Array, owners?: { owner: string; width?: number }[]) {
    this.#plan = plan;
    this.#labels = decodeLabels(labels, `labels version ${plan.labels}`, plan.classes);
    const wanted = owners ? { owners } : { expected: plan.bundles.length };
    this.#join = new BundleJoin(engine, { samples: this.#labels.samples, ...wanted });
  }

  /** In the plan's order. */
  add({ owner, sha256, bytes }: StoredBundle): void {
    const bundle = decodeBundle(bytes, `bundle ${owner}`);
    if (this.#join.add(bundle, sha256).joined > 0) return;
    throw new F3Error('F3_FUSE_OVERLAP', `bundle ${owner}: must have samples in common with the labels, got none`);
  }

  finish(): FusionInput {
    const labels = this.#labels;
    const { split, adjacency: given } = this.#plan;
    const joined = this.#join.finish();
    const ids = typeof split === 'number' ? randomSplit(labels.samples, split) : split;
    const { rows } = placeSplit(ids, joined, labels);
    const order = joined.owners.map(({ owner }) => owner);
    return { joined, labels, split: rows, ...(given && { adjacency: orderGivenGraph(given, order) }) };
  }
}
