// The paper's data sets as its Table 1 states them, and the time and memory its Table 4 reports for them.
import type { DatasetName } from './experiment.ts';

export interface PaperDataset {
  name: string;
  samples: number;
  owners: number;
  /** Number of readings in a time step. */
  variates: number;
  classes: number;
  /** Number of time steps in a window. */
  length: number;
  /** Whether some owners lack some windows. */
  missing: boolean;
  /** Whether a graph of the owners is published. */
  graph: boolean;
  /** Seconds and MB of five epochs, on an A100 and eight cores. */
  cost: Record<'gumbel' | 'icdf', { seconds: number; memory: number }>;
}

/** Whether the data set here is the one the paper measured, and all of it: only then are scores judged by the paper's. */
export const isMeasuredByPaper = (dataset: DatasetName): boolean => dataset === 'metr-la';

/** The paper's data sets, each under the name of the data set here that stands for it. */
export const paperDatasets: Record<DatasetName, PaperDataset> = {
  'metr-la': {
    name: 'METR-LA',
    samples: 2856,
    owners: 207,
    variates: 1,
    classes: 2,
    length: 12,
    missing: false,
    graph: true,
    cost: { gumbel: { seconds: 87.89, memory: 832.38 }, icdf: { seconds: 79.69, memory: 568.24 } },
  },
  'pems-bay-74': {
    name: 'PEMS-BAY',
    samples: 4343,
    owners: 325,
    variates: 1,
    classes: 2,
    length: 12,
    missing: false,
    graph: true,
    cost: { gumbel: { seconds: 270.52, memory: 1896.11 }, icdf: { seconds: 157.93, memory: 1167.19 } },
  },
  'pmu-b': {
    name: 'PMU-B',
    samples: 4853,
    owners: 43,
    variates: 2,
    classes: 4,
    length: 30,
    missing: true,
    graph: false,
    cost: { gumbel: { seconds: 42.4, memory: 348.39 }, icdf: { seconds: 30.16, memory: 322.59 } },
  },
  'pmu-c': {
    name: 'PMU-C',
    samples: 1884,
    owners: 188,
    variates: 2,
    classes: 4,
    length: 30,
    missing: true,
    graph: false,
    cost: { gumbel: { seconds: 84.89, memory: 1119.13 }, icdf: { seconds: 54.07, memory: 894.63 } },
  },
};
