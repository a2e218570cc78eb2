// Runs row L or M of Table 2 on a data set whose owners are trained: scores, and what it would have sent.
//   npx node experiments/end-to-end.ts --data DIR --start pre-trained|scratch [--seed n] [--epochs n] [--json]
import { Command, Option } from 'commander';
import { FusionProgress } from '../src/cli/fuse/fusion-progress.ts';
import { integerFrom, numberFrom } from '../src/cli/option-values.ts';
import { printResult, runProgram } from '../src/cli/run-command.ts';
import { untilInterrupted } from '../src/cli/terminal/interrupt.ts';
import { scoreLines } from '../src/cli/terminal/score-lines.ts';
import { Engine } from '../src/core/engine/engine.ts';
import { type FusionConfig, paperPreset } from '../src/fuse/fusion-config.ts';
import { loadFederation, type Start } from '../src/reproduce/tables/load-federation.ts';
import { type EndToEndTraining, LOCAL_LEARNING_RATE, trainEndToEnd } from '../src/reproduce/tables/train-end-to-end.ts';
import type { Traffic } from '../src/reproduce/tables/wire-traffic.ts';

interface EndToEndCommandOptions {
  data: string;
  start: Start;
  seed: number;
  epochs: number;
  patience: number;
  lr: number;
  localLr: number;
  threads?: number;
  json?: boolean;
}

const program = new Command('end-to-end')
  .description("train global model and owners' models together, as vertical federated learning does")
  .requiredOption(
    '--data <dir>',
    'data set; for --start pre-trained its owners must be trained with f3 owner train --preset paper',
  )
  .addOption(
    new Option('--start <from>', "the owners' models: as trained alone (row L) or fresh (row M)")
      .choices(['pre-trained', 'scratch'] satisfies Start[])
      .makeOptionMandatory(),
  )
  .option('--seed <n>', 'seed of fresh weights, shuffles and graphs', integerFrom(0), paperPreset.seed)
  .option('--epochs <n>', 'most epochs', integerFrom(1), paperPreset.epochs)
  .option('--patience <n>', 'epochs without a lower validation loss', integerFrom(1), paperPreset.patience)
  .option('--lr <rate>', 'learning rate of the global model', numberFrom(1e-6, 1), paperPreset.learningRate)
  .option('--local-lr <rate>', "learning rate of the owners' models", numberFrom(0, 1), LOCAL_LEARNING_RATE)
  .option('--threads <n>', 'threads to compute with (default: one per core)', integerFrom(1, 256))
  .option('--json', 'print the result as one line of JSON')
  .action(run);

async function run(options: EndToEndCommandOptions): Promise<void> {
  const { data, start, seed, epochs, patience, lr, localLr, threads } = options;
  const engine = new Engine({ threads });
  const config: FusionConfig = { ...paperPreset, seed, epochs, patience, learningRate: lr };
  const progress = new FusionProgress(config);
  try {
    process.stderr.write(`reading ${data}\n`);
    const { name, owners, labels, split } = await loadFederation(engine, data, { start, seed });
    const trained = await untilInterrupted('nothing was kept', progress, (signal) =>
      trainEndToEnd(engine, owners, labels, split, config, {
        signal,
        localLearningRate: localLr,
        onEpoch: progress.epoch,
      }),
    );
    const { history: _, ...training } = trained;
    // maxRSS is in kilobytes.
    const peakMb = process.resourceUsage().maxRSS / 1024;
    const facts = { data: name, start, seed, owners: owners.length, samples: labels.samples.length };
    const rates = { learningRate: lr, localLearningRate: localLr };
    printResult({ ...facts, ...rates, ...training, peakMb }, text(training), options.json);
  } finally {
    await engine.dispose();
  }
}

function text(training: Omit<EndToEndTraining, 'history'>): string {
  const { epochs, bestEpoch, seconds, validation, test, traffic, oneUpload } = training;
  const line = (what: string, { messages, bytes }: Traffic) =>
    `${what.padEnd(34)}${String(messages).padStart(10)} messages${(bytes / 1e6).toFixed(1).padStart(10)} MB`;
  return [
    `${epochs} epochs, the best was ${bestEpoch}, ${seconds.toFixed(1)} s`,
    ...scoreLines({ validation, test }),
    line('embeddings of training batches', traffic.embeddings),
    line('their gradients', traffic.gradients),
    line('embeddings to validate and test on', traffic.evaluation),
    line('in all', traffic.total),
    line('F³ instead, once', oneUpload),
  ].join('\n');
}

process.exitCode = await runProgram(program, process.argv);
