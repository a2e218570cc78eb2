// Every experiment by its name; each is loaded when it is run, since the program's help lists the names.
import type { DatasetName, ExperimentContext, ExperimentResult } from './experiment.ts';

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

/** The only one that needs no data. */
export const needsData = (name: ExperimentName): boolean => name !== 'theory';

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
      const { dir } = await findDataset(dataset, context);
      return (await import('./table-1.ts')).table1(context, { dataset, dir });
    }
    case 'table-4':
      return (await import('./table-4.ts')).table4(context, { dataset });
    case 'figure-entropy': {
      const { findDataset } = await import('./find-dataset.ts');
      const { prepareOwners } = await import('./prepare-owners.ts');
      const { bundles } = await prepareOwners(await findDataset(dataset, context), 'plain', context);
      return (await import('./figure-entropy.ts')).figureEntropy(context, { dataset, bundles });
    }
    case 'figure-alignment':
      return (await import('./figure-alignment.ts')).figureAlignment(context, { dataset });
    case 'theory':
      return (await import('./theory.ts')).theory(context);
    default:
      return (await import('./score-table.ts')).scoreTable(context, { name, dataset, ...(rows && { rows }) });
  }
}
