// [coordinator] Plans what a refit learns from: the model's own bundles and split, and the newest bundle of one owner.
import { F3Error } from '../../errors.ts';
import type { FusionConfig } from '../../fuse/fusion-config.ts';
import { type FusedCard, parseFusedCard } from '../../fuse/model/fused-card.ts';
import { checkRefitBundles } from '../../fuse/training/check-refit.ts';
import { listBundles } from '../../storage/bundles.ts';
import { requireModel } from '../../storage/models.ts';
import type { BundleRow, Db, LabelSetRow } from '../../storage/schema.ts';
import { keptLists } from './plan-lists.ts';
import type { PreparedPlan } from './plan-training.ts';
import type { RefitSplit } from './refit-split.ts';
import { sizesOf } from './training-plan.ts';

export interface RefitRequest {
  federation: string;
  owner: string;
  /** Version of the model. */
  model: number;
  /** Changes to the model's config; only fields in `REFIT_CONFIG`. */
  config: Partial<FusionConfig>;
  /** The model's own split, which was found before. */
  split: RefitSplit;
  /** The labels that count now. */
  labels: LabelSetRow;
}

/** Config fields that a refit may change. The others stay as in the model. */
export const REFIT_CONFIG: readonly string[] = ['learningRate', 'batch', 'epochs', 'patience', 'seed'];

export async function planRefit(db: Db, request: RefitRequest): Promise<PreparedPlan> {
  const { federation, owner, model: version, config, labels, split } = request;
  const model = await requireModel(db, federation, version);
  const card = parseFusedCard(JSON.stringify(model.card), `model ${version} of ${federation}`);
  if (!card.owners.some((entry) => entry.owner === owner)) {
    throw new F3Error('F3_FUSE_OWNER', `refit: must be an owner of model ${version} of ${federation}, got ${owner}`);
  }
  const bundles = await bundlesFor(db, federation, card, owner);
  const { lists, facts } = split.take(version, labels.version);
  const plan = {
    config: { ...card.config, ...config },
    ...keptLists(lists, facts),
    classes: card.classes,
    bundles: bundles.map(({ owner: id, version: sent }) => ({ owner: id, version: sent })),
    labels: labels.version,
    sizes: sizesOf(bundles, labels, { classes: card.classes }),
    refit: { owner, model: version },
  };
  return { plan, split: facts };
}

/** Returns the newest bundle of the owner, and the bundles of the other owners that the model learned from. */
async function bundlesFor(db: Db, federation: string, { owners }: FusedCard, owner: string): Promise<BundleRow[]> {
  const found: BundleRow[] = [];
  for (const { owner: id, bundle } of owners) {
    const versions = await listBundles(db, federation, id);
    const one = id === owner ? versions.at(-1) : versions.find(({ sha256 }) => sha256 === bundle);
    if (!one) throw refusal(owner, `the bundle of ${id} must be there`, 'none');
    found.push(one);
  }
  checkRefitBundles(
    owner,
    owners,
    found.map(({ sha256 }) => ({ bundle: sha256 })),
  );
  return found;
}

export const refusal = (owner: string, rule: string, got: string): F3Error =>
  new F3Error('F3_MODEL_REFIT', `refit ${owner}: ${rule}, got ${got}`);
