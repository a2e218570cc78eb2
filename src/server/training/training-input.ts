// [coordinator] Decodes the stored labels and bundles that a training learns from, and joins them one by one.
import type { Engine } from '../../core/engine/engine.ts';
import { errorCode, F3Error } from '../../errors.ts';
import { decodeBundle } from '../../exchange/bundle/bundle.ts';
import { decodeLabels } from '../../exchange/labels/labels.ts';
import { InputAssembly } from '../../fuse/join/fusion-input.ts';
import type { TrainingPlan } from './training-plan.ts';

export interface StoredBundle {
  owner: string;
  sha256: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** `owners` fixes the order of the owners and the widths of their embeddings, for a model that exists. */
export function assembleTraining(
  engine: Engine,
  plan: TrainingPlan,
  labels: Uint8Array,
  owners?: { owner: string; width?: number }[],
): InputAssembly {
  return new InputAssembly(engine, {
    labels: decodeLabels(labels, `labels version ${plan.labels}`, plan.classes),
    split: plan.split,
    graph: plan.adjacency,
    owners,
    expected: plan.bundles.length,
  });
}

/** Bundles must be added in the plan's order. */
export function addStoredBundle(assembly: InputAssembly, { owner, sha256, bytes }: StoredBundle): void {
  try {
    assembly.add(decodeBundle(bytes, `bundle ${owner}`), sha256);
  } catch (error) {
    if (errorCode(error) !== 'F3_FUSE_OVERLAP') throw error;
    // The library's message names a sample of the owner and one of the labels, and whoever trains may know neither.
    const rule = 'must have samples in common with the labels';
    throw new F3Error('F3_FUSE_OVERLAP', `bundle ${owner}: ${rule}, got none; compare how both write their ids`);
  }
}
