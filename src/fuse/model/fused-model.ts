// [coordinator] A fused model: what turns the owners' embeddings, or votes, into class probabilities, and what is known of it.
import type { Engine } from '../../core/engine/engine.ts';
import { softmaxRows } from '../../core/softmax-rows.ts';
import type { SharedShape } from '../../shares/shared-shape.ts';
import type { BoostedTrees } from '../boosting/boosted-trees.ts';
import { ownerFeatures } from '../boosting/owner-features.ts';
import type { FusionConfig } from '../fusion-config.ts';
import type { Joined, JoinedOwner } from '../join/bundle-join.ts';
import type { SplitIdentity } from '../join/split-identity.ts';
import type { DecisionRule } from '../scores/decision-rule.ts';
import type { Scores } from '../scores/scores.ts';
import type { SearchReport } from '../search/search-report.ts';
import type { EpochReport } from '../training/training-state.ts';
import type { FusionNetwork } from './make-fusion-model.ts';
import { applyMixture, type Mixture } from './mixture.ts';
import { type PredictionGraphs, predictLogits } from './predict-logits.ts';
import { applyVoteRule, type VoteRule } from './vote-rule.ts';

/** What a model is and how it came to be. */
export interface FusedFacts {
  /** The whole config that it was made with. */
  config: FusionConfig;
  /** The second of two classes is the positive one. */
  classes: string[];
  /** In the order of the weights. */
  owners: JoinedOwner[];
  /** How many samples each part had. */
  samples: Record<'train' | 'validation' | 'test', number>;
  /** How many epochs were trained. */
  epochs: number;
  /** The epoch whose weights were kept. */
  bestEpoch: number;
  /** Seconds that training took, waiting included. */
  seconds: number;
  /** Every epoch of the training that was kept. */
  history: EpochReport[];
  /** Scores on the validation part. */
  validation: Scores;
  /** Scores on the test part. */
  test: Scores;
  /** What the logits were divided by, where the config wants answers to be as sure as they are right; the weights have it in them. */
  calibration?: { temperature: number };
  /** How answers name a class, where the config wants another than the likeliest. */
  decision?: DecisionRule;
  /** Learning rates that were tried, when there were several, with the validation loss of each. */
  learningRates?: { rate: number; validationLoss: number }[];
  /** Encodings that were tried, when there were several, with the lowest validation loss of each. */
  encodings?: { encoding: FusionConfig['encoding']; validationLoss: number }[];
  /** The owner whose alignment alone was learned anew, when it was. */
  refitted?: string;
  /** Of an ensemble: how its members are mixed, and what each of them is. `config` is the first member's. */
  ensemble?: { mixture: Mixture; members: FusedFacts[] };
  /** Of a model that a search found: what it tried and why it chose this. */
  search?: SearchReport;
  /** Models of an older f3 have none on record. */
  split?: SplitIdentity;
  /** What the validation scores are of, see `validationIdentity`. */
  validatedOn?: string;
  /** Of a model whose weights lie in shares with entities, and nowhere else. */
  onShares?: OnShares;
}

/** Where the weights of a model on shares are. */
export interface OnShares {
  /** Fingerprint of the charter of the entities. */
  charter: string;
  /** Names the training among the entities. */
  training: string;
  /** Steps that were trained. */
  steps: number;
  /** What the entities compute. */
  shape: SharedShape;
  /** Ids of the codes that owners have shared in place of embeddings, by owner; none where they shared embeddings. */
  codings?: Readonly<Record<string, string>> | undefined;
}

/** A model that was learned from embeddings by gradients. */
export interface LearnedModel {
  kind: 'learned';
  facts: FusedFacts;
  network: FusionNetwork;
}

/** A model that counts the owners' own votes. */
export interface VotingModel {
  kind: 'voting';
  facts: FusedFacts;
  rule: VoteRule;
}

/** A model of trees that look at all owners' embeddings. */
export interface BoostedModel {
  kind: 'boosted';
  facts: FusedFacts;
  trees: BoostedTrees;
}

/** Several models whose probabilities are averaged and calibrated; one member alone is calibrated. */
export interface EnsembleModel {
  kind: 'ensemble';
  facts: FusedFacts;
  members: SingleModel[];
  mixture: Mixture;
}

/** A model that is no ensemble. */
export type SingleModel = LearnedModel | VotingModel | BoostedModel;
/** A fused model in the engine's memory, told apart by `kind`. */
export type FusedModel = SingleModel | EnsembleModel;

/** Gives the weights' memory back to the engine. */
export function disposeFusedModel(model: FusedModel): void {
  if (model.kind === 'learned') model.network.dispose();
  if (model.kind === 'ensemble') for (const member of model.members) disposeFusedModel(member);
}

/** `rows` of `joined` → probabilities [row, class] */
export function predictProbabilities(
  engine: Engine,
  model: FusedModel,
  joined: Joined,
  rows: Uint32Array,
  graphs?: PredictionGraphs,
): Float64Array {
  if (model.kind === 'ensemble') {
    const members = memberProbabilities(engine, model, joined, rows, graphs);
    return applyMixture(members, model.facts.classes.length, model.mixture);
  }
  if (model.kind === 'voting') return applyVoteRule(model.rule, joined, rows);
  if (model.kind === 'boosted') return predictWithTrees(model, joined, rows);
  const { network, facts } = model;
  // Without a mask the arithmetic is shorter; where everybody is present both give the same.
  const data = joined.isComplete ? { embeddings: joined.embeddings } : joined;
  return softmaxRows(predictLogits(engine, network, data, rows, graphs), facts.classes.length);
}

/** What each member of an ensemble says: [row, class] per member */
export function memberProbabilities(
  engine: Engine,
  { members }: EnsembleModel,
  joined: Joined,
  rows: Uint32Array,
  graphs?: PredictionGraphs,
): Float64Array[] {
  return members.map((member) => predictProbabilities(engine, member, joined, rows, graphs));
}

function predictWithTrees({ trees, facts }: BoostedModel, joined: Joined, rows: Uint32Array): Float64Array {
  const present = joined.isComplete ? undefined : joined.present.data;
  const { width } = joined;
  const source = { embeddings: joined.embeddings.data, present, owners: joined.owners.length, width };
  return softmaxRows(trees.logits(ownerFeatures(source, rows)), facts.classes.length);
}
