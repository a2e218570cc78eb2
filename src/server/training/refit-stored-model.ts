// [coordinator] Refits a stored model after one owner has sent the bundle of a retrained model: learns only its alignment.
import type { Engine } from '../../core/engine/engine.ts';
import type { FuseOptions } from '../../fuse/fuse-owners.ts';
import type { FusionInput } from '../../fuse/join/fusion-input.ts';
import { type FusedCard, restoreFusedModel } from '../../fuse/model/fused-card.ts';
import type { FusedModel } from '../../fuse/model/fused-model.ts';
import { refitOwner } from '../../fuse/training/refit-owner.ts';
import type { TrainingPlan } from './training-plan.ts';

/** The model to refit, and the owner whose alignment is learned again. */
export interface StoredModel {
  owner: string;
  card: FusedCard;
  weights: Uint8Array;
  /** What messages call the model. */
  name: string;
}

/** The model's owners in its order. Only the refitted owner's embeddings may have a new width. */
export const refitOwners = ({ owner, card }: StoredModel): { owner: string; width?: number }[] =>
  card.owners.map(({ owner: id, width }) => (id === owner ? { owner: id } : { owner: id, width }));

/** A refit is short enough to begin again after a crash, with the same result, so it keeps no checkpoint. */
export async function refitStoredModel(
  engine: Engine,
  { owner, card, weights, name }: StoredModel,
  { config }: TrainingPlan,
  input: FusionInput,
  options: Pick<FuseOptions, 'signal' | 'onEpoch'>,
): Promise<FusedModel> {
  const changed = { ...card, config: { ...card.config, ...config } };
  const old = await restoreFusedModel(engine, changed, async () => weights, name);
  return refitOwner(engine, old, owner, input, options);
}
