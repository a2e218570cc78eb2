// `f3 data simulate planted`: embeddings made from a known graph and known permutations.
import { Command } from 'commander';
import { integerFrom, numberFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { withProgress } from '../terminal/progress.ts';
import { importSummary } from './import-summary.ts';

interface Options {
  out: string;
  owners: number;
  samples: number;
  width: number;
  neighbours: number;
  everywhere: number;
  reach: number;
  noise: number;
  seed: number;
  force?: boolean;
  json?: boolean;
}

export function simulatePlantedCommand(): Command {
  return new Command('planted')
    .description('embeddings with a known owner graph and known permutations, to measure how well both are recovered')
    .requiredOption('--out <dir>', 'directory of the data set')
    .option('--owners <n>', 'owners', integerFrom(2, 10_000), 24)
    .option('--samples <m>', 'samples', integerFrom(10, 10_000_000), 4000)
    .option('--width <d>', 'numbers per embedding, one for each kind of event', integerFrom(2, 4096), 8)
    .option('--neighbours <k>', 'owners on either side that each is linked to', integerFrom(1, 9999), 2)
    .option('--everywhere <share>', 'share of samples in which one kind is everywhere', numberFrom(0, 1), 0.3)
    .option('--reach <share>', 'chance that an owner sees what is everywhere', numberFrom(0, 1), 0.8)
    .option(
      '--noise <sd>',
      'standard deviation of the noise; without it the kind seen is 1 and the others are 0',
      numberFrom(0),
      0.2,
    )
    .option('--seed <n>', 'seed of data and split', integerFrom(0), 1)
    .option('--force', 'replace the data set at --out')
    .option('--json', 'print the result as one line of JSON')
    .addHelpText(
      'after',
      `
Owners stand around a ring. In every sample every owner sees one of --width kinds of event. Either most owners see the
same kind (classes everywhere-0, everywhere-1, …), or pairs of linked owners do (class together), or each owner sees a
kind of its own (class apart). Each owner's embedding is permuted in its own way. An owner's window is its embedding: one
step, --width variates. The folder truth/ holds adjacency.csv, permutations.json and positions.json.

Examples:
  f3 data simulate planted --out data/planted
  f3 data simulate planted --owners 100 --samples 10000 --width 16 --seed 3 --out data/planted-100`,
    )
    .action(runSimulation);
}

async function runSimulation({ force, json, ...options }: Options): Promise<void> {
  const { writePlanted } = await import('../../data/simulate/planted-dataset.ts');
  const request = { ...options, overwrite: force ?? false };
  const report = await withProgress((progress) => writePlanted(request, progress));
  printResult(report, importSummary(report), json);
}
