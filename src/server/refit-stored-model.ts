// [coordinator] One owner sent a bundle of a retrained model: only its alignment is learned anew, in a stored model.
import type { Engine } from '../core/engine.ts';
import type { FuseOptions } from '../fuse/fuse-owners.ts';
import { parseFusedCard, restoreFusedModel } from '../fuse/fused-card.ts';
import type { FusedModel } from '../fuse/fused-model.ts';
import type { FusionConfig } from '../fuse/fusion-config.ts';
import { refitOwner } from '../fuse/refit-owner.ts';
import { readBlob } from '../storage/blobs.ts';
import { requireModel } from '../storage/models.ts';
import type { Db } from '../storage/schema.ts';
import { readTrainingInput, type TrainingPlan } from './training-input.ts';

export type RefitPlan = TrainingPlan & Required<Pick<TrainingPlan, 'refit'>>;

export const isRefit = (plan: TrainingPlan): plan is RefitPlan => plan.refit !== undefined;

/** Short enough to begin anew after a crash: it keeps no checkpoint, and ends in the same bits. */
export async function refitStoredModel(
  engine: Engine,
  db: Db,
  federation: string,
  plan: RefitPlan,
  options: Pick<FuseOptions, 'signal' | 'onEpoch'>,
): Promise<FusedModel> {
  const { owner, model: version } = plan.refit;
  const { card: stored, blob } = await requireModel(db, federation, version);
  const name = `model ${version} of ${federation}`;
  const card = parseFusedCard(JSON.stringify(stored), name);
  const config = { ...card.config, ...plan.config } as FusionConfig;
  const old = await restoreFusedModel(engine, { ...card, config }, () => readBlob(db, blob), name);
  // Its new embeddings may be of another width; the others' may not.
  const widths = card.owners.map(({ owner: id, width }) => (id === owner ? { owner: id } : { owner: id, width }));
  const input = await readTrainingInput(engine, db, federation, plan, widths);
  return refitOwner(engine, old, owner, input, options);
}
