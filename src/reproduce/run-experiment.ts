// Runs every experiment by its name. Each is loaded when it runs, since the program's help needs the names alone.
import type { DatasetName, ExperimentContext, ExperimentResult } from './experiment.ts';
import type { FoundDataset } from './find-dataset.ts';

export const EXPERIMENT_NAMES = [
  'table-1',
  'table-2',
  'table-3',
  'table-4',
  'table-5',
  'figure-entropy',
  'figure-alignment',
  'beyond',
  'advice',
  'search',
  'privacy',
  'theory',
] as const;
export type ExperimentName = (typeof EXPERIMENT_NAMES)[number];

/** Whether the experiment is about a data set. Only theory is about none. */
export const needsData = (name: ExperimentName): boolean => name !== 'theory';

/** Whether the experiment reads the data set's file. Table 4 measures times, which need sizes and no readings. */
export const needsFile = (name: ExperimentName): boolean => needsData(name) && name !== 'table-4';

/** Whether `f3 reproduce all` runs the experiment on this data set. Privacy trains owners anew for many of its rows. */
export const isPartOfAll = (name: ExperimentName, dataset: DatasetName): boolean =>
  name !== 'privacy' || dataset === 'metr-la' || dataset === 'pmu-b';

/** Whether the experiment repeats itself, so that its figures have a spread. */
export const hasSeeds = (name: ExperimentName): boolean =>
  isScoreTable(name) || ['table-4', 'advice', 'search', 'privacy'].includes(name);

/** Whether the experiment is a table of rows × seeds. */
export const isScoreTable = (name: ExperimentName): boolean =>
  ['table-2', 'table-3', 'table-5', 'beyond'].includes(name);

/** Whether single rows of the experiment can be asked for. */
export const hasRows = (name: ExperimentName): boolean => isScoreTable(name) || name === 'privacy';

/** `rows` are the ids of the rows wanted, where there are any; by default all run. */
export async function runExperiment(
  name: ExperimentName,
  dataset: DatasetName,
  context: ExperimentContext,
  rows?: readonly string[],
): Promise<ExperimentResult> {
  switch (name) {
    case 'table-1': {
      const { findDataset } = await import('./find-dataset.ts');
      const found = await findDataset(dataset, context);
      const { table1 } = await import('./tables/table-1.ts');
      return withDoubts(await table1(context, { dataset, dir: found.dir }), found);
    }
    case 'table-4':
      return (await import('./tables/table-4.ts')).table4(context, { dataset });
    case 'figure-entropy': {
      const { findDataset } = await import('./find-dataset.ts');
      const { prepareOwners } = await import('./prepare-owners.ts');
      const found = await findDataset(dataset, context);
      const { bundles } = await prepareOwners(found, 'plain', context);
      const { figureEntropy } = await import('./figure-entropy.ts');
      return withDoubts(await figureEntropy(context, { dataset, bundles }), found);
    }
    case 'advice':
    case 'search':
      return (await import('./tables/split-table.ts')).splitTable(context, { name, dataset });
    case 'privacy':
      return (await import('./privacy/privacy-table.ts')).privacyTable(context, { dataset, rows });
    case 'figure-alignment':
      return (await import('./figure-alignment.ts')).figureAlignment(context, { dataset });
    case 'theory':
      return (await import('./theory/theory.ts')).theory(context);
    default:
      return (await import('./tables/score-table.ts')).scoreTable(context, { name, dataset, rows });
  }
}

/** Says in the result that the data is not what the data set's name says, where that is so. */
function withDoubts(result: ExperimentResult, { isGenuine, remarks }: FoundDataset): ExperimentResult {
  return isGenuine ? result : { ...result, isRecordable: false, remarks: [...remarks, ...result.remarks] };
}
