// [coordinator] Plans what a refit learns from: the model's own bundles and split, and the newest bundle of one owner.
import { F3Error } from '../../errors.ts';
import { decodeLabels } from '../../exchange/labels/labels.ts';
import { type SplitChoice, splitIds } from '../../exchange/labels/split-sources.ts';
import type { FusionConfig } from '../../fuse/fusion-config.ts';
import { splitIdentity } from '../../fuse/join/split-identity.ts';
import { type FusedCard, parseFusedCard } from '../../fuse/model/fused-card.ts';
import { checkRefitBundles, checkRefitSplit } from '../../fuse/training/check-refit.ts';
import { readBlob } from '../../storage/blobs.ts';
import { listBundles } from '../../storage/bundles.ts';
import { requireLabelSet } from '../../storage/label-sets.ts';
import { requireModel } from '../../storage/models.ts';
import type { BundleRow, Db, LabelSetRow, ModelRow } from '../../storage/schema.ts';
import { requireTraining } from '../../storage/trainings.ts';
import { sizesOf, type TrainingPlan } from './training-plan.ts';

export interface RefitRequest {
  federation: string;
  owner: string;
  /** Version of the model. */
  model: number;
  /** Changes to the model's config; only fields in `REFIT_CONFIG`. */
  config: Partial<FusionConfig>;
  /** If it is given, it must be the model's own. */
  split?: SplitChoice | undefined;
  /** The labels that count now. */
  labels: LabelSetRow;
}

/** Config fields that a refit may change. The others stay as in the model. */
export const REFIT_CONFIG: readonly string[] = ['learningRate', 'batch', 'epochs', 'patience', 'seed'];

export async function planRefit(db: Db, request: RefitRequest): Promise<TrainingPlan> {
  const { federation, owner, model: version, config, labels } = request;
  const model = await requireModel(db, federation, version);
  const card = parseFusedCard(JSON.stringify(model.card), `model ${version} of ${federation}`);
  if (!card.owners.some((entry) => entry.owner === owner)) {
    throw new F3Error('F3_FUSE_OWNER', `refit: must be an owner of model ${version} of ${federation}, got ${owner}`);
  }
  const bundles = await bundlesFor(db, federation, card, owner);
  return {
    config: { ...card.config, ...config },
    split: await splitFor(db, model, request),
    classes: card.classes,
    bundles: bundles.map(({ owner: id, version: sent }) => ({ owner: id, version: sent })),
    labels: labels.version,
    sizes: sizesOf(bundles, labels, { classes: card.classes }),
    refit: { owner, model: version },
  };
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

/**
 * Returns the split of the training that made the model. A random split was drawn from the samples that had labels then. If
 * there are other labels now, the same seed would draw other parts, so the ids of each part are stated instead.
 */
async function splitFor(db: Db, model: ModelRow, request: RefitRequest): Promise<SplitChoice> {
  const { federation, owner, model: version, split } = request;
  const newest = request.labels.version;
  const training = model.training === null ? undefined : await requireTraining(db, model.training);
  const plan = training?.options as unknown as TrainingPlan | undefined;
  if (!plan) {
    if (split !== undefined) return split;
    throw refusal(owner, `the split must be named, for model ${version} of ${federation} has none on record`, 'none');
  }
  if (split === undefined && plan.labels === newest) return plan.split;
  const { blob } = await requireLabelSet(db, federation, plan.labels);
  const { samples } = decodeLabels(await readBlob(db, blob), `labels version ${plan.labels}`, plan.classes);
  if (split !== undefined) checkRefitSplit(owner, splitIdentity(plan.split, samples), splitIdentity(split, samples));
  return plan.labels === newest ? plan.split : splitIds(plan.split, samples);
}

export const refusal = (owner: string, rule: string, got: string): F3Error =>
  new F3Error('F3_MODEL_REFIT', `refit ${owner}: ${rule}, got ${got}`);
