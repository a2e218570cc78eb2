// The public API, in the order the data takes.

export { clipGradients } from './core/clip-gradients.ts';
// core: tensors, derivatives, optimisers, random numbers, theory
export { Engine, type EngineOptions } from './core/engine.ts';
export { CoreError, type CoreErrorCode } from './core/errors.ts';
export * as ops from './core/ops/index.ts';
export { Adam, type Optimizer, Sgd } from './core/optimizer.ts';
export { RandomStream } from './core/random.ts';
export * from './core/reference-distribution.ts';
export * as theory from './core/relaxation-theory.ts';
export { decodeSafetensors, encodeSafetensors } from './core/safetensors.ts';
export { softmaxRows } from './core/softmax-rows.ts';
export { Tape } from './core/tape.ts';
export { Tensor } from './core/tensor.ts';
// data: owners' windows on disk
export { type Dataset, openDataset, readOwnerFolder } from './data/dataset.ts';
export { DatasetWriter, writeDataset } from './data/dataset-writer.ts';
export { importTable } from './data/import-table.ts';
export { importTraffic } from './data/import-traffic.ts';
export { type Planted, type PlantedOptions, simulatePlanted } from './data/planted.ts';
// embed: local models, trained alone and frozen
export { embedOwner, type OwnerEmbeddings } from './embed/embed-owner.ts';
export { OnnxModel } from './embed/onnx-model.ts';
export type { ModelCard, OwnerTrainingOptions } from './embed/owner-model.ts';
export { ownerPresets, paperOwnerPreset, recommendedOwnerPreset } from './embed/owner-preset.ts';
export { trainAllOwners } from './embed/train-all-owners.ts';
export { trainCommonModel, trainOwner } from './embed/train-owner.ts';
export { type ErrorCode, F3Error } from './errors.ts';
// exchange: what an owner sends, once
export { type Bundle, bundleHash, decodeBundle, encodeBundle } from './exchange/bundle.ts';
export { listBundles, readBundles } from './exchange/bundle-folder.ts';
export { type BundleFinding, checkBundle } from './exchange/check-bundle.ts';
export { labelEntropies, summariseEntropy } from './exchange/label-entropy.ts';
export { decodeLabels, type LabelSet, makeLabelSet } from './exchange/labels.ts';
// fuse: alignment, consensus graph, global model, baselines
export { BundleJoin, type Joined } from './fuse/bundle-join.ts';
export { calibration } from './fuse/calibration.ts';
export { CheckpointFolder, fingerprint } from './fuse/checkpoint-folder.ts';
export { edgeProbabilities } from './fuse/edge-probabilities.ts';
export { type FuseOptions, type FusionInput, fuseOwners } from './fuse/fuse-owners.ts';
export { type FusedModel, predictProbabilities } from './fuse/fused-model.ts';
export { type FusionConfig, fusionPresets, paperPreset, paperRows, recommendedPreset } from './fuse/fusion-config.ts';
export type { FusionModel, FusionShape } from './fuse/fusion-model.ts';
export { GlobalModel } from './fuse/global-model.ts';
export { makeFusionModel } from './fuse/make-fusion-model.ts';
export { type FusedCard, loadFusedModel, saveFusedModel } from './fuse/model-folder.ts';
export { placeSplit } from './fuse/place-split.ts';
export { predictLogits } from './fuse/predict-logits.ts';
export { edgeRecovery, permutationRecovery } from './fuse/recovery.ts';
export { refitOwner } from './fuse/refit-owner.ts';
export { confusion, rocAuc, type Scores, scores } from './fuse/scores.ts';
export { type FusionData, trainFusion } from './fuse/train-fusion.ts';

// infer: prediction with whoever is present
export { absenceCurve } from './infer/absent-owners.ts';
export { type Predictions, predictAll, predictionsToArrow, predictionsToCsv } from './infer/predictions.ts';
export { type Answer, ServedModel } from './infer/served-model.ts';
