// The façade: ten lines fuse embeddings and predict. Everything below it has an entry point of its own (docs/api).

export { type ErrorCode, F3Error, type F3ErrorOptions, type Remedy } from './errors.ts';
export type { BundleSource, NumberRows, PlainBundle } from './exchange/bundle/bundle-sources.ts';
export type { SampleType } from './exchange/bundle/sample-ids.ts';
export type { LabelColumns, LabelSource } from './exchange/labels/label-sources.ts';
export type { SplitChoice, SplitIds, SplitSource } from './exchange/labels/split-sources.ts';
export type { Evaluation, EvaluationOptions } from './facade/evaluate.ts';
export type { AbsenceCost, ExplainedEdge, Explanation, ExplanationOptions } from './facade/explain.ts';
export {
  type CheckpointChoice,
  type EnsembleChoice,
  type EpochProgress,
  type FuseProgress,
  type FuseRequest,
  fuse,
  type JoinReport,
  type SearchChoice,
  type SearchSettings,
} from './facade/fuse.ts';
export {
  type LabelledData,
  loadModel,
  type Model,
  type ModelHooks,
  type ModelRefitOptions,
  type PredictOptions,
} from './facade/model.ts';
export type { ReadingOptions, ReadingProgress } from './facade/read-bundles.ts';
export {
  type FusionChoice,
  type FusionConfig,
  type FusionField,
  type FusionMethod,
  type FusionPreset,
  fusionPresets,
  graphPreset,
  paperPreset,
  paperRows,
  recommendedPreset,
  sharesPreset,
  type VoteMethod,
} from './fuse/fusion-config.ts';
export type { JoinedOwner } from './fuse/join/bundle-join.ts';
export type { GivenEdge, GivenGraph, GivenMatrix, GraphSource } from './fuse/join/given-graph.ts';
export type { SplitIdentity } from './fuse/join/split-identity.ts';
export type { EncodedModel, FusedCard } from './fuse/model/fused-card.ts';
export type { FusedFacts, OnShares } from './fuse/model/fused-model.ts';
export type { Matrix } from './fuse/model/owner-alignment.ts';
export type { PredictionGraphs } from './fuse/model/predict-logits.ts';
export type { VoteRule } from './fuse/model/vote-rule.ts';
export type { Calibration, CalibrationBin } from './fuse/scores/calibration.ts';
export type { DecisionRule } from './fuse/scores/decision-rule.ts';
export type { Scores } from './fuse/scores/scores.ts';
export type { SearchBudget } from './fuse/search/search-budget.ts';
export type { SearchProgress, SearchReport, TriedFit } from './fuse/search/search-report.ts';
export type { FixedFields } from './fuse/search/search-space.ts';
export type { SituationScores } from './fuse/search/situations.ts';
export type { RefitChanges } from './fuse/training/refit-owner.ts';
export type { EpochReport } from './fuse/training/training-state.ts';
export type { AbsenceOptions, AbsencePoint } from './infer/absent-owners.ts';
export {
  type Prediction,
  type PredictionColumns,
  Predictions,
  predictionsToArrow,
  predictionsToCsv,
} from './infer/predictions.ts';
export type { SharedShape } from './shares/shared-shape.ts';
