// [coordinator] Decodes the stored labels and bundles that a training learns from, and joins them one by one.
import type { Engine } from '../../core/engine/engine.ts';
import { errorCode, F3Error } from '../../errors.ts';
import { type Bundle, decodeBundle } from '../../exchange/bundle/bundle.ts';
import { decodeLabels } from '../../exchange/labels/labels.ts';
import { type FusionInput, InputAssembly } from '../../fuse/join/fusion-input.ts';
import { partsRefusal, requirePartRules } from './part-rules.ts';
import { unpackLists } from './plan-lists.ts';
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
  const { split, adjacency } = unpackLists(plan);
  if (split === undefined) throw new Error('a plan must have a split');
  return new InputAssembly(engine, {
    labels: decodeLabels(labels, `labels version ${plan.labels}`, plan.classes),
    split,
    graph: adjacency,
    owners,
    expected: plan.bundles.length,
  });
}

/** Parts that break the label holder's rules are refused. */
export function finishInput(assembly: InputAssembly, { partRules }: TrainingPlan): FusionInput {
  try {
    const input = assembly.finish();
    if (partRules) requirePartRules(input, partRules);
    return input;
  } catch (error) {
    // The library's message names the only class of a part, and so all of its labels.
    if (partRules && errorCode(error) === 'F3_FUSE_CLASSES') throw partsRefusal(partRules);
    throw error;
  }
}

/** Bundles must be added in the plan's order. */
export function addStoredBundle(assembly: InputAssembly, { owner, sha256, bytes }: StoredBundle): void {
  addBundle(assembly, decodeBundle(bytes, `bundle ${owner}`), sha256);
}

export function addBundle(assembly: InputAssembly, bundle: Bundle, sha256: string): void {
  const { owner } = bundle;
  try {
    assembly.add(bundle, sha256);
  } catch (error) {
    if (errorCode(error) !== 'F3_FUSE_OVERLAP') throw error;
    // The library's message names a sample of the owner and one of the labels, and whoever trains may know neither.
    const rule = 'must have samples in common with the labels';
    throw new F3Error('F3_FUSE_OVERLAP', `bundle ${owner}: ${rule}, got none; compare how both write their ids`);
  }
}
