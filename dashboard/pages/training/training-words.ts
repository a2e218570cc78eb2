// Presets and promotion rules in words, for the form that starts a training.
import type { PromotionRule } from '../../../src/exchange/messages.ts';

export const DEFAULT_PRESET_NAME = 'recommended';

export const PRESET_WORDS: Record<string, string> = {
  recommended:
    'What we advise: a wide model without a graph that was best on four data sets, and that stands absent owners.',
  graph: 'Learns a consensus graph between owners that can be read, and that stands absent owners.',
  paper: 'The choices of the published program, to compare with it.',
  auto: 'Searches for a configuration on the validation part: many fits, so it takes the longest.',
};

/** What entities can compute; of a federation on shares the only preset. */
export const SHARES_PRESET_WORDS: Record<string, string> = {
  shares:
    'What entities can compute on shares: no graph unless you choose one, plain steps, and it stands absent owners.',
};

export const PROMOTION_WORDS: Record<PromotionRule, string> = {
  'if-better': 'if it is better than the active one',
  never: 'when somebody promotes it',
  always: 'in any case',
};
