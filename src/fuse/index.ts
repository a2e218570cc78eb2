// [coordinator] Fusion as a package entry, below the façade: joining bundles, alignment, consensus graph, baselines, scores.
export * from '../errors.ts';
export { type Checkpoints, type FuseOptions, type FusionInput, fuseOwners } from './fuse-owners.ts';
export {
  type FusionConfig,
  type FusionMethod,
  type FusionPreset,
  fusionPresets,
  type PaperRow,
  paperPreset,
  paperRows,
  recommendedPreset,
  type VoteMethod,
} from './fusion-config.ts';
export { BundleJoin, type Joined, type JoinedOwner, type JoinOptions, type Votes } from './join/bundle-join.ts';
export { type NamedGraph, orderGraph } from './join/order-graph.ts';
export { type PlacedSplit, placeSplit, type SplitIds } from './join/place-split.ts';
export { type SplitChoice, type SplitIdentity, splitIdentity, splitIds } from './join/split-identity.ts';
export { edgeProbabilities } from './model/edge-probabilities.ts';
export { type FusedFacts, type FusedModel, predictProbabilities } from './model/fused-model.ts';
export type { Draw, FusionModel, FusionShape, Graphs, OwnerBatch } from './model/fusion-model.ts';
export { GlobalModel, type PreparedPass } from './model/global-model.ts';
export { inspectModel, type ModelInsight } from './model/inspect-model.ts';
export { makeFusionModel } from './model/make-fusion-model.ts';
export { type FusedCard, loadFusedModel, readFusedCard, saveFusedModel } from './model/model-folder.ts';
export type { OwnerAlignment } from './model/owner-alignment.ts';
export type { OwnerGraph } from './model/owner-graph.ts';
export { type PredictionGraphs, predictLogits } from './model/predict-logits.ts';
export type { VoteRule } from './model/vote-rule.ts';
export { type Calibration, type CalibrationBin, calibration } from './scores/calibration.ts';
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
export { CheckpointFolder, type CheckpointOptions, fingerprint } from './training/checkpoint-folder.ts';
export type { EmbedSamples, FusionEmbeddings } from './training/owner-batch.ts';
export { refitOwner } from './training/refit-owner.ts';
export { type FusionData, type Training, type TrainingOptions, trainFusion } from './training/train-fusion.ts';
export type { EpochReport, TrainingState, Weights } from './training/training-state.ts';
