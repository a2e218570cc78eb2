// The flat config of an experiment and the figures expected of it: experiments/<name>/config.json and expected.json.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DatasetName } from './experiment.ts';
import type { RowSeconds } from './tables/time-left.ts';

const FOLDER = new URL('../../experiments/', import.meta.url);

export interface ExpectedScores {
  f1: number;
  f1Deviation?: number;
  auc?: number;
  aucDeviation?: number;
}

/** data set → row → scores */
export type ScoresByRow = Partial<Record<DatasetName, Record<string, ExpectedScores>>>;

export interface Expected {
  /** The paper's figures. */
  paper: ScoresByRow;
  /** Ours; written by `f3 reproduce … --update`. */
  ours: Partial<Record<DatasetName, RecordedFigures>>;
}

/** Our figures and how they were made. */
export interface RecordedFigures {
  seeds: number;
  seconds: number;
  /** As `values` of the result; a score that is not defined is null. */
  values: Record<string, number | null>;
  /** Seconds of one fit; what a later run tells the time left by. */
  rowSeconds?: RowSeconds;
}

export function readConfig<Config>(name: string): Config {
  return JSON.parse(readFileSync(pathOf(name, 'config.json'), 'utf8')) as Config;
}

/** What every config may say of how often it runs by itself. */
interface Repetitions {
  /** Default: 1. */
  seeds?: Partial<Record<DatasetName, number>>;
}

export const defaultSeeds = (name: string, dataset: DatasetName): number =>
  readConfig<Repetitions>(name).seeds?.[dataset] ?? 1;

export function readExpected(name: string): Expected {
  const file = pathOf(name, 'expected.json');
  if (!existsSync(file)) return { paper: {}, ours: {} };
  return JSON.parse(readFileSync(file, 'utf8')) as Expected;
}

/** Replaces our figures for one data set. */
export function updateExpected(name: string, dataset: DatasetName, ours: RecordedFigures): void {
  const expected = readExpected(name);
  const text = JSON.stringify({ ...expected, ours: { ...expected.ours, [dataset]: ours } }, null, 1);
  writeFileSync(pathOf(name, 'expected.json'), `${text}\n`);
}

const pathOf = (name: string, file: string): string => fileURLToPath(new URL(`${name}/${file}`, FOLDER));
