// What an experiment is and what it gives: tables, figures and remarks that the report lays out.
import type { ProgressListener } from '../data/import/import-report.ts';
import type { ResultFigure, ResultTable } from '../figures/result.ts';
import type { RowSeconds } from './tables/time-left.ts';

export const DATASETS = ['metr-la', 'pems-bay-74', 'pmu-b', 'pmu-c'] as const;
export type DatasetName = (typeof DATASETS)[number];

export interface ExperimentResult {
  /** e.g. `table-2` */
  name: string;
  title: string;
  dataset?: DatasetName;
  /** Stands at every table and figure made from simulated data. */
  simulated: boolean;
  /** What a reader types to get the same. */
  command: string;
  seeds: number;
  seconds: number;
  /** What this shows, in a sentence or two. */
  summary: string;
  tables: ResultTable[];
  figures: ResultFigure[];
  /** Deviations and their causes. */
  remarks: string[];
  /** Everything that was chosen. */
  configuration: unknown;
  /** Figures by key, for expected.json: `<row>/<score>` → number. */
  values: Record<string, number>;
  /** Whether expected.json may take its figures: the data is what the data set's name says. Default: it may. */
  isRecordable?: boolean;
  /** Of a table of scores: seconds of one fit. */
  rowSeconds?: RowSeconds;
}

/** What an experiment may use. */
export interface ExperimentContext {
  /** Raw files are looked for here. */
  data: string;
  /** Data sets, owners' models, bundles and finished runs are kept here. */
  cache: string;
  seeds: number;
  threads?: number;
  progress: ProgressListener;
  signal?: AbortSignal | undefined;
}
