// A row of a table of scores, and what one run of it gives.
import type { FusionConfig, FusionPreset } from '../../fuse/fusion-config.ts';
import type { Scores } from '../../fuse/scores/scores.ts';
import type { EpochReport } from '../../fuse/training/training-state.ts';
import type { AbsencePoint } from '../../infer/absent-owners.ts';
import type { SplitName } from '../data-splits.ts';
import type { DatasetName } from '../experiment.ts';
import type { OwnerVariantName } from '../owner-variants.ts';
import type { Start } from './load-federation.ts';

export interface ScoreRow {
  id: string;
  name: string;
  /** How the owners were pre-trained. */
  owners: OwnerVariantName;
  /** The preset that the row starts from; the paper's by default. */
  preset?: FusionPreset;
  /** Changes to the preset. */
  fusion: Partial<FusionConfig>;
  /** Learning rates to try in turn, of which the best on validation is kept; by default the preset's alone. */
  learningRates?: number[];
  /** In rows L and M gradients reach the owners' models, which start from here. */
  endToEnd?: Start;
  /** The most seeds to run the row with; by default as many as the experiment has. */
  seeds?: number;
  /** With owners absent the others are fused anew, instead of asking the model of all; the scores with everybody are that model's. */
  anew?: boolean;
  /** The data sets that the row runs on, and the splits of those; by default all. */
  datasets?: DatasetName[];
  splits?: SplitName[];
  /** The config is searched for on the validation part with so many fits, from what the row fixes. */
  search?: { fits: number };
  /** The row whose fits under all seeds are mixed into one model, weighted and calibrated by the validation part. */
  ensembleOf?: string;
}

/** One fit of a row under one seed. */
export interface ScoreRun {
  row: string;
  seed: number;
  epochs: number;
  bestEpoch: number;
  seconds: number;
  validation: Scores;
  test: Scores;
  /** Expected calibration error on the test part, of a model that was fused. */
  calibrationError?: number | undefined;
  /** What of it is chance, see `calibrationFloor`. */
  calibrationFloor?: number | undefined;
  history: EpochReport[];
  /** Messages that crossed the wire in training. */
  messages: number;
  /** Bytes that crossed the wire in training. */
  bytes: number;
  /** Folder of the fused model, where there is one. */
  model?: string | undefined;
  /** Seconds that the owners' models took on one thread each, added up. */
  ownerSeconds: number;
  /** Scores with owners absent, where they were asked for and there is a model. */
  absence?: AbsencePoint[];
}
