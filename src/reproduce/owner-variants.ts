// How owners are pre-trained in the experiments, by name: the paper's way, its baselines' ways, and ways beyond the paper.
import type { OwnerTrainingOptions } from '../embed/owner-model.ts';
import { paperOwnerPreset } from '../embed/owner-preset.ts';

export interface OwnerVariant {
  /** How the report names it. */
  name: string;
  /** The training options of the owner with this number. */
  options: (owner: number) => OwnerTrainingOptions;
  /** Whether one model is trained over every owner's data in turn. */
  common?: boolean;
}

/** The paper's options with `change`, the same for every owner. */
const paper = (change: Partial<OwnerTrainingOptions> = {}) => {
  const options = { ...paperOwnerPreset, ...change };
  return () => options;
};

/** Owners take these in turn. */
const MIXTURE: Partial<OwnerTrainingOptions>[] = [
  { model: 'lstm', width: 16 },
  { model: 'gru', width: 12 },
  { model: 'dense', width: 24 },
];

export const ownerVariants = {
  plain: { name: 'LSTM, raw inputs', options: paper() },
  common: { name: 'one common LSTM', options: paper(), common: true },
  tied: { name: 'LSTM, one frozen head for all', options: paper({ tiedHead: 0 }) },
  'z-score': { name: 'LSTM, inputs z-scored by their owner', options: paper({ normalisation: 'z-score' }) },
  dense: {
    name: 'one dense layer, inputs z-scored by their owner',
    options: paper({ model: 'dense', normalisation: 'z-score' }),
  },
  gru: { name: 'GRU, raw inputs', options: paper({ model: 'gru' }) },
  'gru-z-score': {
    name: 'GRU, inputs z-scored by their owner',
    options: paper({ model: 'gru', normalisation: 'z-score' }),
  },
  'gru-long': {
    name: 'GRU, inputs z-scored by their owner, trained while the validation loss falls',
    options: paper({ model: 'gru', normalisation: 'z-score', epochs: 400, bestBy: 'loss' }),
  },
  mixed: {
    name: 'LSTM of width 16, GRU of 12 and dense of 24 in turn, inputs z-scored',
    options: (owner) => ({ ...paperOwnerPreset, normalisation: 'z-score', ...MIXTURE[owner % MIXTURE.length] }),
  },
} as const satisfies Record<string, OwnerVariant>;

export type OwnerVariantName = keyof typeof ownerVariants;
