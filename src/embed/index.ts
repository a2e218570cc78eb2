// [owner] Local models as a package entry: trained alone, frozen, brought as ONNX, embedding stored or live windows.
export * from '../errors.ts';
export { embedOwner, type OwnerEmbeddings } from './embed-owner.ts';
export { type EmbeddingArrayOptions, readEmbeddingArrays } from './embedding-arrays.ts';
export { type EmbeddingTableOptions, readEmbeddingTable } from './embedding-table.ts';
export { LiveEmbedder } from './live-embedder.ts';
export { loadTrainedOwner, type TrainedOwner } from './load-trained-owner.ts';
export {
  LOCAL_MODEL_KINDS,
  type LocalModel,
  type LocalModelKind,
  type LocalModelOptions,
  type WindowShape,
} from './local-model.ts';
export { makeLocalModel } from './make-local-model.ts';
export type { Normalisation } from './normalise-windows.ts';
export { embedWithOnnx, type OnnxOwnerEmbeddings } from './onnx/embed-with-onnx.ts';
export { OnnxLiveEmbedder } from './onnx/onnx-live-embedder.ts';
export { type OnnxEmbeddings, OnnxModel, type OnnxNames } from './onnx/onnx-model.ts';
export {
  loadOwnerModel,
  type ModelCard,
  type OwnerTrainingOptions,
  readModelCard,
  saveOwnerModel,
} from './owner-model.ts';
export {
  type OwnerPreset,
  ownerPresets,
  paperOwnerPreset,
  privateOwnerPreset,
  recommendedOwnerPreset,
} from './owner-preset.ts';
export {
  chooseCandidate,
  type OwnerCandidate,
  type OwnerSearchRecord,
  type OwnerSearchSpace,
  type OwnerTrial,
  ownerCandidates,
  ownerSearchSpace,
} from './owner-search.ts';
export type { RoundedAnswers } from './rounded-answers.ts';
export { type SearchOwnerOptions, searchOwner } from './search-owner.ts';
export { SHIELD_KINDS, type ShieldKind, type ShieldOptions } from './shield.ts';
export { type TrainAllOptions, type TrainAllProgress, trainAllOwners } from './train-all-owners.ts';
export {
  BEST_BY,
  type BeforeShield,
  type BegunTraining,
  type BestBy,
  type LocalFit,
  type LocalTrainingConfig,
  type LocalTrainingData,
  trainLocalModel,
} from './train-local-model.ts';
export { type CommonTrainingOptions, trainCommonModel, trainOwner } from './train-owner.ts';
export { TRAINING_OBJECTIVES, type TrainingObjective } from './training-objective.ts';
