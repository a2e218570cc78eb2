// `f3 fuse`: learns how the owners' embeddings fit together, from bundles, labels and a split.
import { Command } from 'commander';
import { integerFrom } from '../option-values.ts';
import type { FuseCommandOptions } from './fuse-run.ts';
import { addFusionOptions } from './fusion-options.ts';
import { addSearchOptions } from './search-options.ts';

export function fuseCommand(): Command {
  const command = new Command('fuse')
    .description('learn how the owners fit together: alignment, consensus graph, prediction')
    .requiredOption('--bundles <path...>', 'folder of bundles, or bundle files')
    .requiredOption('--labels <file>', 'Arrow or CSV: sample,label')
    .option(
      '--split <file|seed>',
      "JSON or CSV: sample,split (train, validation, test); a number: random 70/10/20; --refit may leave the model's seed out",
    )
    .option('--without <owner...>', 'leave these owners out, as if they had sent nothing')
    .option('--out <dir>', 'folder for the model: model.safetensors and model.json');
  return addSearchOptions(addFusionOptions(command, { search: true }))
    .option(
      '--search <dir>',
      'for --preset auto: keep finished fits here, so that a larger budget repeats none (default: <out>.search, removed in the end)',
    )
    .option(
      '--fits <n>',
      'train n models that differ by their seed and serve them as one, with an uncertainty',
      integerFrom(1, 50),
    )
    .option('--refit <owner>', "learn only this owner's alignment anew, in the model given by --model")
    .option('--model <dir>', 'the model to refit')
    .option('--resume', 'go on from the checkpoint of an interrupted run, to the same bits')
    .option('--threads <n>', 'default: F3_THREADS, else all cores', integerFrom(1, 256))
    .option('--force', 'replace a model that exists')
    .option('--json', 'print one line of JSON: {epochs, bestEpoch, seconds, validation, test, …}')
    .addHelpText(
      'after',
      `
Bundles are joined by sample id. A sample that an owner did not see is masked there, so owners may overlap in part, and
with soft alignment their embeddings may differ in width. Training stops when the validation loss no longer falls;
the best epoch is kept. Results depend on inputs, options and seed, not on the number of threads.

A refit is split as the model was: under another split it would be scored on samples that the model was trained with.

A checkpoint is kept beside the output while training runs (<out>.checkpoint), with --fits also every finished model. After Ctrl-C or a crash, the same command
with --resume goes on.

--preset auto tries codes, read-outs, weight decay, dropout, graphs and boosted trees, and mixtures of the best. It chooses by the loss on
the validation part, half of it with owners absent; the test part is scored once, for the model. The table of what was tried stays in
the model (f3 model show). After Ctrl-C or a crash the same command goes on. docs/fusion.md states the space.

Examples:
  f3 fuse --bundles bundles --labels data/labels.arrow --split data/split.json --out model
  f3 fuse --bundles bundles --labels labels.csv --split 1 --out model --preset auto --budget-fits 20
  f3 fuse --bundles bundles --labels labels.csv --split 1 --out model --owner-dropout 0.2
  f3 fuse --bundles bundles --labels labels.csv --split 1 --row E            # the paper's mean pooling
  f3 fuse --bundles bundles --labels labels.csv --split 1 --out model --without plant-3 plant-7   # who will be away
  f3 fuse --bundles bundles --labels labels.csv --refit plant-7 --model model --out model-2`,
    )
    .action(async (options: FuseCommandOptions) => (await import('./fuse-run.ts')).runFuse(options));
}
