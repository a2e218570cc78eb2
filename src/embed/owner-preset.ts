// [owner] Local models and their training as the paper has them (LSTM, d = 16, raw inputs, Adam), and as we advise.
import type { OwnerTrainingOptions } from './owner-model.ts';

export const paperOwnerPreset: OwnerTrainingOptions = {
  model: 'lstm',
  width: 16,
  normalisation: 'none',
  learningRate: 1e-3,
  batch: 100,
  epochs: 200,
  patience: 20,
  seed: 0,
};

/** By measurement (docs/results, Beyond the paper): z-scored inputs gain on every data set, a GRU then on some. */
export const recommendedOwnerPreset: OwnerTrainingOptions = {
  ...paperOwnerPreset,
  model: 'gru',
  normalisation: 'z-score',
};

export const ownerPresets = { paper: paperOwnerPreset, recommended: recommendedOwnerPreset } as const;
export type OwnerPreset = keyof typeof ownerPresets;
