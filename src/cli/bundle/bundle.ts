// `f3 bundle`: checks what an owner sends, or makes it from embeddings that exist already.
import { Command } from 'commander';
import { bundleCheckCommand } from './check.ts';
import { bundleEntropyCommand } from './entropy.ts';
import { bundleFromNpyCommand } from './from-npy.ts';
import { bundleFromCsvCommand, bundleFromParquetCommand } from './from-table.ts';

export function bundleCommand(): Command {
  return new Command('bundle')
    .description('check bundles of embeddings, or make one from embeddings you already have')
    .addCommand(bundleCheckCommand())
    .addCommand(bundleFromNpyCommand())
    .addCommand(bundleFromCsvCommand())
    .addCommand(bundleFromParquetCommand())
    .addCommand(bundleEntropyCommand())
    .addHelpText(
      'after',
      `
A bundle is the one file an owner sends: sample ids, one embedding per sample, and, if the owner likes, its local
model's class probabilities. Never raw readings. It is an Arrow IPC file that Python, R or Java write in a few lines;
docs/bundle-format.md describes the format.

Examples:
  f3 bundle from-npy embeddings.npy --ids ids.csv --owner plant-7 --out plant-7.arrow
  f3 bundle check plant-7.arrow`,
    );
}
