// The public API, in the order the data takes.

// core: tensors, derivatives, optimisers, random numbers, theory
export { Engine, type EngineOptions } from './core/engine/engine.ts';
export { Tape } from './core/engine/tape.ts';
export { Tensor } from './core/engine/tensor.ts';
export { CoreError, type CoreErrorCode } from './core/errors.ts';
export * as ops from './core/ops/index.ts';
export { clipGradients } from './core/optimizer/clip-gradients.ts';
export { Adam, type Optimizer, Sgd } from './core/optimizer/optimizer.ts';
export { RandomStream } from './core/random.ts';
export { decodeSafetensors, encodeSafetensors } from './core/safetensors.ts';
export { softmaxRows } from './core/softmax-rows.ts';
export * from './core/theory/reference-distribution.ts';
export * as theory from './core/theory/relaxation-theory.ts';
// data: owners' windows on disk
export { type Dataset, openDataset, readOwnerFolder } from './data/dataset/dataset.ts';
export { DatasetWriter, writeDataset } from './data/dataset/dataset-writer.ts';
export { importTable } from './data/import/import-table.ts';
export { importTraffic } from './data/import/import-traffic.ts';
export { type Planted, type PlantedOptions, simulatePlanted } from './data/simulate/planted.ts';
// embed: local models, trained alone and frozen
export { embedOwner, type OwnerEmbeddings } from './embed/embed-owner.ts';
export { OnnxModel } from './embed/onnx/onnx-model.ts';
export type { ModelCard, OwnerTrainingOptions } from './embed/owner-model.ts';
export { ownerPresets, paperOwnerPreset, recommendedOwnerPreset } from './embed/owner-preset.ts';
export { trainAllOwners } from './embed/train-all-owners.ts';
export { trainCommonModel, trainOwner } from './embed/train-owner.ts';
export { type ErrorCode, F3Error } from './errors.ts';
// exchange: what an owner sends, once
export { type Bundle, bundleHash, decodeBundle, encodeBundle } from './exchange/bundle/bundle.ts';
export { listBundles, readBundles } from './exchange/bundle/bundle-folder.ts';
export { type BundleFinding, checkBundle } from './exchange/bundle/check-bundle.ts';
export { labelEntropies, summariseEntropy } from './exchange/bundle/label-entropy.ts';
export { decodeLabels, type LabelSet, makeLabelSet } from './exchange/bundle/labels.ts';
export { type FuseOptions, type FusionInput, fuseOwners } from './fuse/fuse-owners.ts';
export { type FusionConfig, fusionPresets, paperPreset, paperRows, recommendedPreset } from './fuse/fusion-config.ts';
// fuse: alignment, consensus graph, global model, baselines
export { BundleJoin, type Joined } from './fuse/join/bundle-join.ts';
export { placeSplit } from './fuse/join/place-split.ts';
export { edgeProbabilities } from './fuse/model/edge-probabilities.ts';
export { type FusedModel, predictProbabilities } from './fuse/model/fused-model.ts';
export type { FusionModel, FusionShape } from './fuse/model/fusion-model.ts';
export { GlobalModel } from './fuse/model/global-model.ts';
export { makeFusionModel } from './fuse/model/make-fusion-model.ts';
export { type FusedCard, loadFusedModel, saveFusedModel } from './fuse/model/model-folder.ts';
export { predictLogits } from './fuse/model/predict-logits.ts';
export { calibration } from './fuse/scores/calibration.ts';
export { edgeRecovery, permutationRecovery } from './fuse/scores/recovery.ts';
export { confusion, rocAuc, type Scores, scores } from './fuse/scores/scores.ts';
export { CheckpointFolder, fingerprint } from './fuse/training/checkpoint-folder.ts';
export { refitOwner } from './fuse/training/refit-owner.ts';
export { type FusionData, trainFusion } from './fuse/training/train-fusion.ts';

// infer: prediction with whoever is present
export { absenceCurve } from './infer/absent-owners.ts';
export { type Predictions, predictAll, predictionsToArrow, predictionsToCsv } from './infer/predictions.ts';
export { type Answer, ServedModel } from './infer/served-model.ts';
