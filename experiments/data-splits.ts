// Makes the data sets under every split of the protocol and prints their folders as JSON: {data set: {split: folder}}. Programs
// in other languages read the windows, labels and parts from there (docs/dataset-format.md), so that all measure the same.
// Usage: node experiments/data-splits.ts [--data <dir>] [--cache <dir>] [data set …]
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findSplit, SPLIT_NAMES } from '../src/reproduce/data-splits.ts';
import { DATASETS, type ExperimentContext } from '../src/reproduce/experiment.ts';
import { findDataset } from '../src/reproduce/find-dataset.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { data: { type: 'string' }, cache: { type: 'string' } },
});
const cache = values.cache ?? process.env.F3_CACHE ?? join(homedir(), '.cache', 'f3');
const context: ExperimentContext = {
  cache,
  data: values.data ?? process.env.F3_DATA ?? cache,
  seeds: 1,
  progress: () => undefined,
};
const folders: Record<string, Record<string, string>> = {};
for (const name of DATASETS.filter((each) => positionals.length === 0 || positionals.includes(each))) {
  const dataset = await findDataset(name, context);
  folders[name] = {};
  for (const split of SPLIT_NAMES) folders[name][split] = (await findSplit(dataset, split, context)).dir;
}
process.stdout.write(`${JSON.stringify(folders, null, 1)}\n`);
