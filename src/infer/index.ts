// [coordinator] Prediction as a package entry, below the façade: with whoever is present, and what absence costs.
export * from '../errors.ts';
export { type AbsenceOptions, type AbsencePoint, absenceCurve, withoutOwners } from './absent-owners.ts';
export { ModelThread, type ThreadModel } from './model-thread.ts';
export {
  type Prediction,
  type PredictionColumns,
  Predictions,
  predictAll,
  predictionsToArrow,
  predictionsToCsv,
} from './predictions.ts';
export type { Logits, ModelOutputs, Outputs } from './ready-model.ts';
export { type Answer, type SampleEmbeddings, ServedModel } from './served-model.ts';
