// [owner] The paper's local model and its training: LSTM, d = 16, raw inputs, Adam.
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
