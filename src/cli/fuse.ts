// `f3 fuse`: learns how the owners' embeddings fit together, from bundles, labels and a split.
import { Command, Option } from 'commander';
import { LEARNED_METHODS, paperPreset, paperRows, VOTE_METHODS } from '../fuse/fusion-config.ts';
import type { FuseCommandOptions } from './fuse-run.ts';
import { commaList, integerFrom, numberBelow, numberFrom } from './option-values.ts';

const p = paperPreset;
/** Shown in the help, not set: an option that was not given leaves the preset alone. */
const preset = (value: string | number) => `(default: ${value})`;

export function fuseCommand(): Command {
  const choice = (flags: string, text: string, values: readonly string[], value: string) =>
    new Option(flags, `${text} ${preset(value)}`).choices(values);
  return new Command('fuse')
    .description('learn how the owners fit together: alignment, consensus graph, prediction')
    .requiredOption('--bundles <path...>', 'folder of bundles, or bundle files')
    .requiredOption('--labels <file>', 'Arrow or CSV: sample,label')
    .requiredOption(
      '--split <file|seed>',
      'JSON or CSV: sample,split (train, validation, test); a number: random 70/10/20',
    )
    .option('--out <dir>', 'folder for the model: model.safetensors and model.json')
    .option('--classes <names>', 'all classes in their order, separated by commas', commaList)
    .addOption(
      new Option('--preset <name>', "where all other options start: the paper's choices")
        .choices(['paper'])
        .default('paper'),
    )
    .addOption(
      new Option('--row <letter>', "a row of the paper's Table 2, as a change to the preset").choices(
        Object.keys(paperRows),
      ),
    )
    .addOption(choice('--method <name>', 'how owners become one', [...LEARNED_METHODS, ...VOTE_METHODS], p.method))
    .addOption(choice('--alignment <kind>', 'one matrix per owner', ['none', 'soft', 'hard'], p.alignment))
    .addOption(choice('--sinkhorn <start>', 'for hard alignment', ['square', 'exp'], p.sinkhorn))
    .option('--sweeps <n>', `Sinkhorn–Knopp sweeps, for hard alignment ${preset(p.sweeps)}`, integerFrom(1, 1000))
    .option('--entropy-weight <w>', `of the row entropy, for hard alignment ${preset(p.entropyWeight)}`, numberFrom(0))
    .addOption(choice('--graph <kind>', 'between owners', ['none', 'given', 'knn', 'icdf', 'gumbel'], p.graph))
    .option('--adjacency <file>', 'CSV for --graph given: a matrix, or edges from,to[,weight]')
    .option('--k <n>', `neighbours, for --graph knn ${preset(p.neighbours)}`, integerFrom(1))
    .addOption(choice('--reference <F>', 'distribution behind ICDF', ['normal', 'logistic', 'uniform'], p.reference))
    .option('--temperature <tau>', `of the relaxation ${preset(p.temperature)}`, numberFrom(0.001, 10))
    .option('--project-edges', 'keep edge probabilities inside their clamp, where they can still learn (default: no)')
    .addOption(choice('--graphs-per <unit>', 'a fresh graph for each', ['example', 'batch'], p.graphsPer))
    .option('--hidden <h>', `width of the hidden layer ${preset(p.hidden)}`, integerFrom(1, 4096))
    .option('--skip', 'add the identity to the normalised graph (default)')
    .option('--no-skip', 'do not')
    .option(
      '--owner-dropout <share>',
      'leave owners out at random, so that prediction survives absence (default: 0)',
      numberBelow(1),
    )
    .option(
      '--lr <rate>',
      `learning rate, or auto: 0.01 or 0.001, chosen on validation ${preset(p.learningRate)}`,
      learningRate,
    )
    .option('--batch <n>', `samples per step ${preset(p.batch)}`, integerFrom(1))
    .option('--epochs <n>', `most epochs ${preset(p.epochs)}`, integerFrom(1))
    .option('--patience <n>', `epochs without a lower validation loss ${preset(p.patience)}`, integerFrom(1))
    .option(
      '--graph-samples <S>',
      `graphs averaged at prediction ${preset(p.predictionGraphs)}`,
      integerFrom(1, 10_000),
    )
    .option('--seed <n>', `of weights, shuffles and graphs ${preset(p.seed)}`, integerFrom(0))
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

A checkpoint is kept beside the output while training runs (<out>.checkpoint). After Ctrl-C or a crash, the same command
with --resume goes on.

Examples:
  f3 fuse --bundles bundles --labels data/labels.arrow --split data/split.json --out model
  f3 fuse --bundles bundles --labels labels.csv --split 1 --out model --owner-dropout 0.2
  f3 fuse --bundles bundles --labels labels.csv --split 1 --row E            # the paper's mean pooling
  f3 fuse --bundles bundles --labels labels.csv --split 1 --refit plant-7 --model model --out model-2`,
    )
    .action(async (options: FuseCommandOptions) => (await import('./fuse-run.ts')).runFuse(options));
}

function learningRate(text: string): number | 'auto' {
  return text === 'auto' ? text : numberFrom(1e-8, 10)(text);
}
