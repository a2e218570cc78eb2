// `f3 data simulate planted`: embeddings behind which a known graph and known permutations lie.
import { Command } from 'commander';
import { importSummary } from './import-summary.ts';
import { integerFrom, numberFrom } from './option-values.ts';
import { withProgress } from './progress.ts';
import { printResult } from './run-command.ts';

interface Options {
  out: string;
  owners: number;
  samples: number;
  width: number;
  neighbours: number;
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
    .option('--width <d>', 'numbers per embedding', integerFrom(1, 4096), 8)
    .option('--neighbours <k>', 'nearest neighbours each owner is linked to', integerFrom(1, 9999), 3)
    .option('--noise <sd>', 'standard deviation of the noise; an alarm has strength 1', numberFrom(0), 0.5)
    .option('--seed <n>', 'seed of data and split', integerFrom(0), 1)
    .option('--force', 'replace the data set at --out')
    .option('--json', 'print the result as one line of JSON')
    .addHelpText(
      'after',
      `
In every sample some owners raise an alarm: an owner and its neighbours (class clustered), or as many owners picked
anywhere (class scattered). Each owner's embedding is permuted in its own way. An owner's window is its embedding: one
step, --width variates. truth/ holds adjacency.csv, permutations.json and positions.json.

Examples:
  f3 data simulate planted --out data/planted
  f3 data simulate planted --owners 100 --samples 10000 --width 16 --seed 3 --out data/planted-100`,
    )
    .action(runSimulation);
}

async function runSimulation({ force, json, ...options }: Options): Promise<void> {
  const { writePlanted } = await import('../data/planted-dataset.ts');
  const request = { ...options, overwrite: force ?? false };
  const report = await withProgress((progress) => writePlanted(request, progress));
  printResult(report, importSummary(report), json);
}
