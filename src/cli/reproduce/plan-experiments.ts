// Which experiments `f3 reproduce` runs on which data sets, after its options were checked.
import { F3Error } from '../../errors.ts';
import { DATASETS, type DatasetName } from '../../reproduce/experiment.ts';
import { defaultSeeds } from '../../reproduce/experiment-files.ts';
import {
  EXPERIMENT_NAMES,
  type ExperimentName,
  hasRows,
  hasSeeds,
  isPartOfAll,
  needsData,
} from '../../reproduce/run-experiment.ts';
import { requireRows } from '../../reproduce/tables/score-table.ts';

/** The options that say what runs. */
export interface PlanOptions {
  dataset?: DatasetName[];
  seeds?: number;
  rows?: string[];
  update?: boolean;
}

export interface PlannedExperiment {
  name: ExperimentName;
  dataset: DatasetName;
}

/** `experiment` is the name of one, or `all`. */
export function planExperiments(experiment: string, options: PlanOptions): PlannedExperiment[] {
  const names = namesOf(experiment, options);
  const datasets = options.dataset ?? (experiment === 'all' ? DATASETS : [DATASETS[0]]);
  checkOptions(experiment, names, options);
  if (options.update && options.seeds !== undefined) checkRecordedSeeds(names, datasets, options.seeds);
  const isWanted = ({ name, dataset }: PlannedExperiment) => experiment !== 'all' || isPartOfAll(name, dataset);
  return [
    ...datasets.flatMap((dataset) =>
      names
        .filter(needsData)
        .map((name) => ({ name, dataset }))
        .filter(isWanted),
    ),
    ...names.filter((name) => !needsData(name)).map((name) => ({ name, dataset: datasets[0] })),
  ];
}

/** What lies beyond the paper is one question: which choices there are, how our advice does on other splits, and what a search adds. */
function namesOf(experiment: string, { rows }: PlanOptions): readonly ExperimentName[] {
  if (experiment === 'all') return EXPERIMENT_NAMES;
  if (experiment === 'beyond' && !rows) return ['beyond', 'advice', 'search'];
  const found = EXPERIMENT_NAMES.find((name) => name === experiment);
  if (found) return [found];
  throw optionError('experiment', `must be one of ${EXPERIMENT_NAMES.join(', ')} or all, got ${experiment}`);
}

function checkOptions(experiment: string, names: readonly ExperimentName[], options: PlanOptions): void {
  const { dataset, rows, seeds, update } = options;
  if (rows && !names.every(hasRows)) {
    throw optionError(
      '--rows',
      `needs a table of rows (table-2, table-3, table-5, beyond or privacy), got ${experiment}`,
    );
  }
  for (const name of rows ? names : []) requireRows(name, rows ?? []);
  if (dataset && !names.some(needsData)) {
    throw optionError('--dataset', `needs an experiment on data, got ${experiment}`);
  }
  if (seeds !== undefined && !names.some(hasSeeds)) {
    throw optionError(
      '--seeds',
      `needs an experiment that repeats (tables 2 to 5, beyond, advice, search, privacy), got ${experiment}`,
    );
  }
  if (rows && update) {
    const rule = 'needs whole tables, since a few rows would leave the others stale';
    throw optionError('--update', `${rule}, got --rows ${rows.join(',')}`);
  }
}

/** Figures on record are never replaced by figures of fewer seeds than the experiment asks for. */
function checkRecordedSeeds(names: readonly ExperimentName[], datasets: readonly DatasetName[], seeds: number): void {
  for (const name of names.filter(hasSeeds)) {
    const dataset = datasets.find((each) => seeds < defaultSeeds(name, each));
    if (dataset === undefined) continue;
    const rule = `needs ${defaultSeeds(name, dataset)} seeds or more for ${name} on ${dataset}`;
    throw optionError('--update', `${rule}, got --seeds ${seeds}`);
  }
}

const optionError = (option: string, problem: string): F3Error => new F3Error('F3_OPTION', `${option}: ${problem}`);
