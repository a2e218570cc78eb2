// A row of the table of privacy: how owners were trained, how much noise they add, and what one run of it gives.
import type { ShieldOptions } from '../../embed/shield.ts';
import type { Recovery } from '../../privacy/audit/rows.ts';
import type { DatasetName } from '../experiment.ts';
import type { SentForm } from './sent-form.ts';

/** What the figure tells apart. */
export const PRIVACY_FAMILIES = ['as it is', 'noise', 'bottleneck', 'shield', 'together', 'answer'] as const;

export interface PrivacyRow {
  id: string;
  name: string;
  family: (typeof PRIVACY_FAMILIES)[number];
  /** Numbers of a narrow last layer; by default there is none, and 16 numbers leave. */
  bottleneck?: number;
  shield?: ShieldOptions;
  /** What one release of a sample keeps; by default there is no noise. */
  epsilon?: number;
  /** What is said instead of the embedding; by default the embedding. */
  form?: SentForm;
  /** The data sets that the row runs on; by default all, and with none it runs when it is asked for by name. */
  datasets?: DatasetName[];
}

/** One fit under one seed, which also draws the noise. */
export interface PrivacyFit {
  seed: number;
  seconds: number;
  epochs: number;
  validation: { f1: number; auc: number };
  test: { f1: number; auc: number };
}

/** What the best of the attackers recovers, mean over the owners that were attacked. */
export interface PrivacyRecovery {
  mean: Recovery;
  last: Recovery;
  every: Recovery;
  /** The largest share of a window's mean that was recovered of any of them. */
  worst: number;
}

export interface PrivacyRun {
  row: PrivacyRow;
  fits: PrivacyFit[];
  recovery: PrivacyRecovery;
  /** Standard deviation of the noise beside the length at which embeddings are cut; undefined without noise. */
  noise?: number | undefined;
  /** What training the owners took on one thread each, added up. */
  ownerSeconds: number;
}
