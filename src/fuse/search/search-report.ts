// [coordinator] What a search tried and chose, as it is kept with the model and shown.
import type { FusionConfig } from '../fusion-config.ts';
import type { SearchBudget } from './search-budget.ts';
import type { SituationScores } from './situations.ts';

/** One config, or several mixed, and how it did on the validation part. */
export interface TriedFit {
  /** What it is, in words. */
  name: string;
  /** Fields in which it differs from the paper's preset. Of a mixture there are none. */
  config: Partial<FusionConfig>;
  /** Of a mixture: positions in the list of what was tried. */
  members?: number[];
  /** What fits are compared by: the validation loss, absence counted in. Null where it failed. */
  criterion: number | null;
  /** Scores with everybody there, and with owners absent. Empty where it failed. */
  situations: SituationScores[];
  /** Epochs that were trained, and the best of them. */
  epochs?: number;
  bestEpoch?: number;
  /** True where training ended early, because the fit fell behind the best of earlier ones. Its model may still be mixed in. */
  givenUp?: true;
  /** Seconds that the fit took on one thread, waiting included. */
  seconds: number;
  /** Why it came to nothing. */
  failure?: string;
  /** Whether this is the model. */
  chosen: boolean;
}

/** What a search tried, by what it chose, and what. */
export interface SearchReport {
  /** How much absence counts in the criterion, from 0 to 1. */
  absenceWeight: number;
  /** What the search was allowed. */
  budget: SearchBudget;
  /** Fits that were made or had been made before. */
  fits: number;
  /** Whether time ran out. */
  outOfTime: boolean;
  /** Seconds from start to choice, of this call. */
  seconds: number;
  /** In the order in which they were planned; mixtures come last. */
  tried: TriedFit[];
}

/** How far a search is. */
export interface SearchProgress {
  stage: 'search';
  /** Fits that are finished. */
  done: number;
  /** Fits that will be made at most. Undefined where only minutes are given. */
  total: number | undefined;
  /** What the latest news is about: its position among the fits, from 1, and what it is. */
  fit: number;
  name: string;
  /** The epoch of it that ended, if it is under way. */
  epoch?: number | undefined;
  /** Lowest criterion so far, and the fit that has it. */
  best?: { criterion: number; name: string } | undefined;
  /** A guess, once a fit is finished. */
  secondsLeft?: number | undefined;
}
