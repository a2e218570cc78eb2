// `f3 demo`: trains three models on planted embeddings and shows what alignment and the consensus graph add.
import { Command } from 'commander';
import type { DemoOptions } from './demo-run.ts';
import { integerFrom } from './option-values.ts';

export function demoCommand(): Command {
  return new Command('demo')
    .description('train a small F³ model on planted embeddings and compare it with simpler ones')
    .option('--owners <n>', 'owners', integerFrom(4, 500), 20)
    .option('--samples <m>', 'samples', integerFrom(100, 100_000), 8000)
    .option('--epochs <n>', 'most epochs per model', integerFrom(1, 10_000), 60)
    .option('--seed <n>', 'seed of data and models', integerFrom(0), 1)
    .option('--json', 'print the result as one line of JSON')
    .addHelpText(
      'after',
      `
Owners stand around a ring. In every sample every owner sees one of eight kinds of event: most the same kind (the label
names it), or neighbours two and two the same (class together), or each on its own (class apart). Each owner's embedding
is permuted in its own way. Nobody tells the model who neighbours whom, nor the permutations.

Examples:
  f3 demo
  f3 demo --owners 40 --samples 6000 --json`,
    )
    .action(async (options: DemoOptions) => (await import('./demo-run.ts')).runDemo(options));
}
