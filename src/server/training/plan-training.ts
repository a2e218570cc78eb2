// [coordinator] Plans a training when it is asked for: what it does, and which bundles and labels it learns from.
import { F3Error } from '../../errors.ts';
import { resolveUsefulConfig } from '../../fuse/field-purposes.ts';
import type { FusionConfig, FusionPreset } from '../../fuse/fusion-config.ts';
import { memberConfigs } from '../../fuse/member-configs.ts';
import { checkSharesConfig } from '../../fuse/on-shares/shared-shape-of.ts';
import { DEFAULT_FITS } from '../../fuse/search/search-budget.ts';
import { searchStarts } from '../../fuse/search/search-space.ts';
import { latestBundles } from '../../storage/bundles.ts';
import { requireFederation } from '../../storage/federations.ts';
import { latestLabelSet } from '../../storage/label-sets.ts';
import type { BundleRow, Db } from '../../storage/schema.ts';
import { codingOf, findCharter } from '../../storage/share-charters.ts';
import { type GraphDigest, requireGraphOwners } from './graph-digest.ts';
import { keptLists } from './plan-lists.ts';
import { planRefit, REFIT_CONFIG, refusal } from './plan-refit.ts';
import type { RefitSplit } from './refit-split.ts';
import type { SplitFacts } from './split-digest.ts';
import { sizesOf, type TrainingPlan } from './training-plan.ts';
import type { ReadTraining } from './training-request.ts';

/** Seed of the random split of a training that names none. */
const DEFAULT_SPLIT = 1;

/** A plan, and what is known of the lists in it. */
export interface PreparedPlan {
  plan: TrainingPlan;
  split: SplitFacts;
  graph?: GraphDigest | undefined;
  /** Owners whose bundles are left out. */
  without?: readonly string[] | undefined;
}

/** The training will learn from the bundles and labels that are stored at this moment. */
export async function planTraining(
  db: Db,
  name: string,
  { options: request, lists, split: asked, graph: adjacency }: ReadTraining,
  refitSplit: RefitSplit | undefined,
): Promise<PreparedPlan> {
  const federation = await requireFederation(db, name);
  const [all, labels] = [await latestBundles(db, name), await latestLabelSet(db, name)];
  if (all.length === 0) throw notReady(name, 'bundles of owners');
  if (!labels) throw notReady(name, 'labels of the label holder');
  const charter = await findCharter(db, name);
  if (charter) requireSharesRequest(request);
  const bundles = bundlesWithout(all, request.without);
  if (request.refit && refitSplit) {
    const { owner, model = federation.activeModel ?? 0 } = request.refit;
    refuseChanges(owner, request, adjacency);
    const config = request.config as Partial<FusionConfig>;
    return planRefit(db, { federation: name, owner, model, config, split: refitSplit, labels });
  }
  const { learningRates, ensemble } = request;
  const split = asked ?? DEFAULT_SPLIT;
  const search = searchOf(request);
  const given = request.config as Partial<FusionConfig>;
  const preset = presetOf(request) ?? (charter ? 'shares' : undefined);
  const codes = charter ? codesOf(bundles, given) : {};
  const config = search ? given : resolveUsefulConfig({ preset, ...codes, ...given });
  if (charter) requireSharesConfig(config as FusionConfig, bundles);
  if (ensemble) memberConfigs([config as FusionConfig], ensemble.fits); // refuses what no seed changes
  const { graph = 'none' } = config;
  if (graph === 'given' && !adjacency) throw graphError('graph given must come with an adjacency, got none');
  if (graph !== 'given' && adjacency) throw graphError(`an adjacency is for graph given only, got graph ${graph}`);
  const order = bundles.map(({ owner }) => owner);
  if (adjacency) requireGraphOwners(adjacency, order);
  if ((config.method ?? 'consensus') === 'consensus' && graph === 'knn' && config.neighbourGraph === 'batch') {
    const rule = 'neighbours must be frozen when the model is made, so that answers do not depend on each other';
    throw new F3Error('F3_MODEL_SERVED', `training: ${rule}, got neighbourGraph batch`);
  }
  const classes = request.classes ?? federation.classes ?? undefined;
  const plan = {
    config,
    ...keptLists(lists, split),
    ...(learningRates && { learningRates }),
    ...(classes && { classes }),
    ...(search && { search }),
    ...(ensemble && { ensemble }),
    ...(charter && { onShares: charter.fingerprint }),
    bundles: bundles.map(({ owner, version }) => ({ owner, version })),
    labels: labels.version,
    sizes: sizesOf(bundles, labels, { ...(classes && { classes }), ...(learningRates && { learningRates }) }),
  };
  return { plan, split, graph: adjacency, without: request.without };
}

/** A name that is unknown is mistyped, and somebody would stay in who was not wanted. */
function bundlesWithout(bundles: readonly BundleRow[], without: readonly string[] = []): BundleRow[] {
  const leftOut = new Set(without);
  const kept = bundles.filter(({ owner }) => !leftOut.delete(owner));
  const [unknown] = leftOut;
  if (unknown !== undefined) {
    const rule = 'must name owners that have sent a bundle';
    throw new F3Error('F3_FUSE_OWNER', `without: ${rule}, got ${JSON.stringify(unknown.slice(0, 255))}`);
  }
  if (kept.length > 0) return kept;
  throw new F3Error('F3_FUSE_OWNER', 'without: must leave a bundle, got every owner left out');
}

/** Entities train one model from its first weights to its last. */
function requireSharesRequest({ preset, refit, ensemble, learningRates }: ReadTraining['options']): void {
  const asked =
    (preset === 'auto' && 'preset auto') ||
    (refit && 'a refit') ||
    (ensemble && 'an ensemble') ||
    (learningRates && 'several learning rates');
  if (!asked) return;
  throw new F3Error('F3_SHARES_CONFIG', `training on shares: must be a single fit, got ${asked}`);
}

/** Where owners have shared codes, the fusion learns from codes, unless it is asked for something else. */
function codesOf(bundles: readonly BundleRow[], { encoding, bins }: Partial<FusionConfig>): Partial<FusionConfig> {
  const shared = codingOf(bundles[0].summary)?.bins;
  if (shared === undefined || (encoding ?? 'quantiles') !== 'quantiles') return {};
  return { encoding: 'quantiles', bins: bins ?? shared };
}

/** Codes are made by the owners, so the config must ask for what all of them have shared. */
function requireSharesConfig(config: FusionConfig, bundles: readonly BundleRow[]): void {
  checkSharesConfig(config);
  const wanted = config.encoding === 'quantiles' ? config.bins : undefined;
  const other = bundles.find(({ summary }) => codingOf(summary)?.bins !== wanted);
  if (!other) return;
  const found = codingOf(other.summary);
  const rule = wanted === undefined ? 'embeddings without codes' : `codes of ${wanted} bins`;
  const got = found ? `codes of ${found.bins} bins` : 'embeddings without codes';
  throw new F3Error(
    'F3_SHARES_CODES',
    `training on shares: every owner must have shared ${rule}, got ${got} of ${other.owner}`,
  );
}

/** What a search was asked for; undefined where none was. */
function searchOf(request: ReadTraining['options']): TrainingPlan['search'] {
  const { preset, budget, absenceWeight, learningRates, ensemble } = request;
  if (preset !== 'auto') {
    const stray = (budget && 'budget') ?? (absenceWeight !== undefined ? 'absenceWeight' : undefined);
    if (stray) throw new F3Error('F3_ARGUMENT', `${stray}: is for preset auto only, got ${preset ?? 'another preset'}`);
    return undefined;
  }
  const idle = (learningRates && 'learningRates') ?? (ensemble && 'ensemble');
  if (idle) throw new F3Error('F3_ARGUMENT', `${idle}: is not for preset auto, which sees to it by itself`);
  const fixed = request.config as Partial<FusionConfig>;
  searchStarts(fixed);
  return { fixed, budget: budget ?? { fits: DEFAULT_FITS }, absenceWeight };
}

const presetOf = ({ preset }: ReadTraining['options']): FusionPreset | undefined =>
  preset === 'auto' ? undefined : preset;

/** A refit changes one alignment and nothing else of the model. */
function refuseChanges(owner: string, request: ReadTraining['options'], adjacency: GraphDigest | undefined): void {
  const { preset, config, learningRates, classes, ensemble, budget, without } = request;
  const field = Object.keys(config).find((name) => !REFIT_CONFIG.includes(name));
  const changed =
    field ??
    (preset && 'preset') ??
    (learningRates && 'learningRates') ??
    (classes && 'classes') ??
    (adjacency && 'adjacency') ??
    (ensemble && 'ensemble') ??
    (budget && 'budget') ??
    (without && 'without');
  if (changed) throw refusal(owner, `all but ${REFIT_CONFIG.join(', ')} must stay as in the model`, changed);
}

const graphError = (message: string) => new F3Error('F3_FUSE_GRAPH', `training: ${message}`);

const notReady = (federation: string, what: string) =>
  new F3Error('F3_TRAINING_INPUT', `federation ${federation}: must have ${what} before it trains, got none`);
