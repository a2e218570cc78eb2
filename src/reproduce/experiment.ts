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
  /** Whether the data is simulated; every table and figure then says so. */
  simulated: boolean;
  /** The command that gives the same result. */
  command: string;
  seeds: number;
  seconds: number;
  /** What this shows, in a sentence or two. */
  summary: string;
  tables: ResultTable[];
  figures: ResultFigure[];
  /** What a reader should know of the figures: differences and their causes, rows that were left out. */
  remarks: string[];
  /** Everything that was chosen, for the report. */
  configuration: unknown;
  /** Figures for expected.json, by keys such as `<row>/<score>`. */
  values: Record<string, number>;
  /** Whether the data is what the data set's name says, so that expected.json may take the figures. It is by default. */
  isRecordable?: boolean;
  /** Seconds of one fit of each row, in a table of scores. */
  rowSeconds?: RowSeconds;
}

/** What an experiment may use. */
export interface ExperimentContext {
  /** Folder in which published files are looked for. */
  data: string;
  /** Folder in which data sets, owners' models, bundles and finished runs are kept. */
  cache: string;
  seeds: number;
  threads?: number | undefined;
  progress: ProgressListener;
  signal?: AbortSignal | undefined;
}
