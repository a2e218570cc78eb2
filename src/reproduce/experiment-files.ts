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

/** Scores by data set and row. */
export type ScoresByRow = Partial<Record<DatasetName, Record<string, ExpectedScores>>>;

export interface Expected {
  /** The paper's figures. */
  paper: ScoresByRow;
  /** Our figures, as `f3 reproduce … --update` wrote them. */
  ours: Partial<Record<DatasetName, RecordedFigures>>;
}

/** Our figures of one data set, and how they were made. */
export interface RecordedFigures {
  seeds: number;
  seconds: number;
  /** The `values` of the result; a score that is not defined is null. */
  values: Record<string, number | null>;
  /** Seconds of one fit, from which a later run estimates the time left. */
  rowSeconds?: RowSeconds | undefined;
}

export function readConfig<Config>(name: string): Config {
  return JSON.parse(readFileSync(pathOf(name, 'config.json'), 'utf8')) as Config;
}

/** What every config may say of how often its experiment runs by default. */
interface Repetitions {
  /** Seeds by data set; where none are named, the experiment runs once. */
  seeds?: Partial<Record<DatasetName, number>>;
}

export const defaultSeeds = (name: string, dataset: DatasetName): number =>
  readConfig<Repetitions>(name).seeds?.[dataset] ?? 1;

export function readExpected(name: string): Expected {
  const file = pathOf(name, 'expected.json');
  if (!existsSync(file)) return { paper: {}, ours: {} };
  return JSON.parse(readFileSync(file, 'utf8')) as Expected;
}

/** Figures on record that another program made and no experiment of `f3 reproduce` runs. */
export function readRecord<Content>(name: string): Content {
  return JSON.parse(readFileSync(pathOf(name, 'expected.json'), 'utf8')) as Content;
}

/** Replaces our figures of one data set. */
export function updateExpected(name: string, dataset: DatasetName, ours: RecordedFigures): void {
  const expected = readExpected(name);
  const text = JSON.stringify({ ...expected, ours: { ...expected.ours, [dataset]: ours } }, null, 1);
  writeFileSync(pathOf(name, 'expected.json'), `${text}\n`);
}

const pathOf = (name: string, file: string): string => fileURLToPath(new URL(`${name}/${file}`, FOLDER));
