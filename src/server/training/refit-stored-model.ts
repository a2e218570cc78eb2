// [coordinator] One owner sent a bundle of a retrained model: only its alignment is learned anew, in a stored model.
import type { Engine } from '../../core/engine/engine.ts';
import type { FuseOptions } from '../../fuse/fuse-owners.ts';
import type { FusionInput } from '../../fuse/join/fusion-input.ts';
import { type FusedCard, restoreFusedModel } from '../../fuse/model/fused-card.ts';
import type { FusedModel } from '../../fuse/model/fused-model.ts';
import { refitOwner } from '../../fuse/training/refit-owner.ts';
import type { TrainingPlan } from './training-plan.ts';

/** What is refitted. */
export interface StoredModel {
  owner: string;
  card: FusedCard;
  weights: Uint8Array;
  /** For messages. */
  name: string;
}

/** The model's owners in its order. The new embeddings of the one may be of another width; the others' may not. */
export const refitOwners = ({ owner, card }: StoredModel): { owner: string; width?: number }[] =>
  card.owners.map(({ owner: id, width }) => (id === owner ? { owner: id } : { owner: id, width }));

/** Short enough to begin anew after a crash: it keeps no checkpoint, and ends in the same bits. */
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
