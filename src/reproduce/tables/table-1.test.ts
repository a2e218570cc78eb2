import { expect, it } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { toyDataset } from '../../../test/support/toy-dataset.ts';
import type { ExperimentContext } from '../experiment.ts';
import { table1 } from './table-1.ts';

const context: ExperimentContext = { data: '', cache: '', seeds: 1, progress: () => undefined };

it('table-1 states what the data set holds beside the paper, and that it is simulated', async () => {
  const dir = await toyDataset(temporaryDirectory());
  const result = await table1(context, { dataset: 'pmu-b', dir });
  expect(result.simulated).toBe(true);
  expect(result.tables[0].title).toBe('Statistics of pmu-b');
  expect(result.values).toMatchObject({
    'pmu-b/samples': 120,
    'pmu-b/owners': 3,
    'pmu-b/variates': 2,
    'pmu-b/series length': 8,
    'pmu-b/training samples': 72,
  });
  expect(result.values['pmu-b/missing windows']).toBeCloseTo(1 / 6, 12);
  const [statistics, classes] = result.tables;
  expect(statistics.rows[0]).toEqual(['samples', { mean: 120, digits: 0 }, { mean: 4853, digits: 0 }]);
  expect(statistics.rows.find(([name]) => name === 'missing data')).toEqual([
    'missing data',
    'yes: 16.7 % of windows',
    'yes',
  ]);
  expect(classes.rows.map(([name]) => name)).toEqual(['drift', 'swing']);
  expect(result.remarks.join()).toContain('proprietary');
  expect(result.remarks.join()).toContain('3 of the 43 owners');
});
