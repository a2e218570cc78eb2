// Every experiment by its name; each is loaded when it is run, since the program's help lists the names.
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
  'theory',
] as const;
export type ExperimentName = (typeof EXPERIMENT_NAMES)[number];

/** The only one that is about no data set. */
export const needsData = (name: ExperimentName): boolean => name !== 'theory';

/** Times need sizes, not readings. */
export const needsFile = (name: ExperimentName): boolean => needsData(name) && name !== 'table-4';

/** Whether figures come with a spread over seeds or repetitions. */
export const hasSeeds = (name: ExperimentName): boolean => isScoreTable(name) || name === 'table-4';

export const isScoreTable = (name: ExperimentName): boolean =>
  ['table-2', 'table-3', 'table-5', 'beyond'].includes(name);

/** `rows`: of a table of scores, by their ids. */
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
      return of(found, await (await import('./tables/table-1.ts')).table1(context, { dataset, dir: found.dir }));
    }
    case 'table-4':
      return (await import('./tables/table-4.ts')).table4(context, { dataset });
    case 'figure-entropy': {
      const { findDataset } = await import('./find-dataset.ts');
      const { prepareOwners } = await import('./prepare-owners.ts');
      const found = await findDataset(dataset, context);
      const { bundles } = await prepareOwners(found, 'plain', context);
      return of(found, await (await import('./figure-entropy.ts')).figureEntropy(context, { dataset, bundles }));
    }
    case 'figure-alignment':
      return (await import('./figure-alignment.ts')).figureAlignment(context, { dataset });
    case 'theory':
      return (await import('./theory/theory.ts')).theory(context);
    default:
      return (await import('./tables/score-table.ts')).scoreTable(context, { name, dataset, ...(rows && { rows }) });
  }
}

/** Says so where the data is not what the data set's name says. */
function of({ isGenuine, remarks }: FoundDataset, result: ExperimentResult): ExperimentResult {
  return isGenuine ? result : { ...result, isRecordable: false, remarks: [...remarks, ...result.remarks] };
}
