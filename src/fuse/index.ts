// [coordinator] Fusion as a package entry, below the façade: joining bundles, alignment, consensus graph, baselines, scores.
export * from '../errors.ts';
export { type SplitChoice, type SplitIds, splitIds } from '../exchange/labels/split-sources.ts';
export type { SharedShape } from '../shares/shared-shape.ts';
export { BoostedTrees } from './boosting/boosted-trees.ts';
export {
  BOOSTING_DEFAULTS,
  type BoostingData,
  type BoostingOptions,
  type BoostingRun,
  type BoostingSamples,
  type BoostingWatch,
  trainBoosting,
} from './boosting/train-boosting.ts';
export { type Checkpoints, type FuseOptions, fuseOwners } from './fuse-owners.ts';
export {
  type FusionChoice,
  type FusionConfig,
  type FusionField,
  type FusionMethod,
  type FusionPreset,
  fusionConfigSchema,
  fusionPresets,
  graphPreset,
  type PaperRow,
  paperPreset,
  paperRows,
  recommendedPreset,
  resolveFusionConfig,
  sharesPreset,
  type VoteMethod,
} from './fusion-config.ts';
export { BundleJoin, type Joined, type JoinedOwner, type JoinOptions, type Votes } from './join/bundle-join.ts';
export { type FusionInput, freeInput, InputAssembly, type InputOptions } from './join/fusion-input.ts';
export {
  type GivenEdge,
  type GivenGraph,
  type GivenMatrix,
  type GraphSource,
  graphWeights,
  readGraph,
} from './join/given-graph.ts';
export { type NamedGraph, orderGraph } from './join/order-graph.ts';
export { type PlacedSplit, placeSplit } from './join/place-split.ts';
export { type SplitIdentity, splitIdentity } from './join/split-identity.ts';
export type { Concatenation } from './model/concatenation.ts';
export { edgeProbabilities } from './model/edge-probabilities.ts';
export {
  type BoostedModel,
  disposeFusedModel,
  type EnsembleModel,
  type FusedFacts,
  type FusedModel,
  type LearnedModel,
  type OnShares,
  predictProbabilities,
  type SingleModel,
  type VotingModel,
} from './model/fused-model.ts';
export type { Draw, FusionModel, FusionShape, Graphs, OwnerBatch } from './model/fusion-model.ts';
export { GlobalModel, type PreparedPass } from './model/global-model.ts';
export { inspectModel, type ModelInsight, type ModelParts, modelParts } from './model/inspect-model.ts';
export { type FusionNetwork, makeFusionModel } from './model/make-fusion-model.ts';
export { applyMixture, fitMixture, type Mixture, type MixtureOptions, memberSpread } from './model/mixture.ts';
export { type FusedCard, loadFusedModel, readFusedCard, saveFusedModel } from './model/model-folder.ts';
export type { OwnerAlignment } from './model/owner-alignment.ts';
export type { OwnerGraph } from './model/owner-graph.ts';
export { type PredictionGraphs, predictLogits } from './model/predict-logits.ts';
export type { SetTransformer } from './model/set-transformer.ts';
export type { VoteRule } from './model/vote-rule.ts';
export { type Calibration, type CalibrationBin, calibration } from './scores/calibration.ts';
export { type DecisionRule, fitDecisionRule } from './scores/decision-rule.ts';
export {
  isUnrelated,
  type MatrixCorrelation,
  type MatrixCorrelationOptions,
  matrixCorrelation,
} from './scores/matrix-correlation.ts';
export {
  isWithinChance,
  type PairedDifference,
  type PairedOptions,
  pairedDifference,
} from './scores/paired-difference.ts';
export { edgeRecovery, permutationRecovery } from './scores/recovery.ts';
export {
  averagePrecision,
  confusion,
  f1Score,
  logLoss,
  predictedClasses,
  rocAuc,
  type Scores,
  scores,
} from './scores/scores.ts';
export type { FitStore } from './search/fit-record.ts';
export type { SearchBudget } from './search/search-budget.ts';
export { SearchFolder } from './search/search-folder.ts';
export { type SearchOptions, searchFusion } from './search/search-fusion.ts';
export { inputIdentity } from './search/search-input.ts';
export type { SearchProgress, SearchReport, TriedFit } from './search/search-report.ts';
export { type FixedFields, SEARCH_RATES, SEARCH_STARTS, SEARCH_STEPS } from './search/search-space.ts';
export type { SituationScores } from './search/situations.ts';
export { CheckpointFolder, type CheckpointOptions, fingerprint } from './training/checkpoint-folder.ts';
export type { EmbedSamples, FusionEmbeddings } from './training/owner-batch.ts';
export { type RefitChanges, type RefitOptions, refitOwner } from './training/refit-owner.ts';
export { type FusionData, type Training, type TrainingOptions, trainFusion } from './training/train-fusion.ts';
export type { EpochReport, TrainingProgress, TrainingState, Weights } from './training/training-state.ts';
