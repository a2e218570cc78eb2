// Writes what the pooled models learn from: every owner's raw windows in one array, labels and splits. This is the ceiling:
// a federation could not do it.
//   npx node experiments/pooled/export-windows.ts --dataset metr-la --data DIR --cache DIR --out pooled/metr-la
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { runProgram } from '../../src/cli/run-command.ts';
import { type Dataset, openDataset } from '../../src/data/dataset/dataset.ts';
import { PARTS } from '../../src/exchange/labels/sample-parts.ts';
import type { Split } from '../../src/exchange/labels/split.ts';
import { namedSplit, SPLIT_NAMES } from '../../src/reproduce/data-splits.ts';
import { DATASETS, type DatasetName } from '../../src/reproduce/experiment.ts';
import { findDataset } from '../../src/reproduce/find-dataset.ts';

interface Options {
  dataset: DatasetName;
  data: string;
  cache: string;
  out: string;
}

const program = new Command('export-windows')
  .description("every owner's windows of a data set, labels and splits, for pooled.py")
  .addOption(new Option('--dataset <name>').choices(DATASETS).makeOptionMandatory())
  .option('--data <dir>', 'folder with the published files', '.')
  .requiredOption('--cache <dir>', 'where imported and simulated data sets are kept')
  .requiredOption('--out <dir>', 'folder to write to')
  .action(run);

async function run({ dataset: name, data, cache, out }: Options): Promise<void> {
  const { dir } = await findDataset(name, { data, cache, seeds: 1, progress: () => undefined });
  const dataset = await openDataset(dir);
  mkdirSync(out, { recursive: true });
  const { values, shape } = await poolWindows(dataset);
  writeFileSync(join(out, 'windows.f32'), new Uint8Array(values.buffer));
  const facts = {
    dataset: name,
    simulated: dataset.simulated,
    shape,
    classes: dataset.classes,
    labels: Array.from(dataset.labels),
    splits: Object.fromEntries(
      SPLIT_NAMES.map((split) => [
        split,
        rowsOf(dataset, split === 'fixed' ? dataset.split : namedSplit(split, dataset.samples)),
      ]),
    ),
  };
  writeFileSync(join(out, 'facts.json'), JSON.stringify(facts));
}

/** values: [sample, owner, time, variate]; windows that an owner lacks are NaN. */
async function poolWindows(dataset: Dataset): Promise<{ values: Float32Array<ArrayBuffer>; shape: number[] }> {
  const { samples, owners } = dataset;
  const place = new Map(samples.map((sample, row) => [sample, row]));
  const { length, variates } = await dataset.owner(owners[0]);
  const size = length * variates.length;
  const values = new Float32Array(samples.length * owners.length * size).fill(Number.NaN);
  for (const [i, id] of owners.entries()) {
    const owner = await dataset.owner(id);
    for (const [r, sample] of owner.samples.entries()) {
      const row = place.get(sample) as number;
      values.set(owner.windows.subarray(r * size, (r + 1) * size), (row * owners.length + i) * size);
    }
  }
  return { values, shape: [samples.length, owners.length, length, variates.length] };
}

function rowsOf({ samples }: Dataset, split: Split): Record<string, number[]> {
  const place = new Map(samples.map((sample, row) => [sample, row]));
  return Object.fromEntries(PARTS.map((part) => [part, split[part].map((sample) => place.get(sample) as number)]));
}

if (import.meta.main) process.exitCode = await runProgram(program, process.argv);
