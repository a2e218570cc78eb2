// `f3 predict`: predicts classes and probabilities of new samples, with whoever is present.
import { Command } from 'commander';
import type { Predictions } from '../../infer/predictions.ts';
import { integerFrom } from '../option-values.ts';
import { Progress } from '../terminal/progress.ts';
import { addPredictionOptions, graphsOf, type PredictionOptions } from './prediction-options.ts';
import { checkPredictionOutput, type PredictionOutput, printPredictions } from './print-predictions.ts';

interface Options extends PredictionOptions, PredictionOutput {
  model: string;
  bundles: string[];
  threads?: number;
}

export function predictCommand(): Command {
  const command = new Command('predict')
    .description('predict samples from bundles of any of the model’s owners')
    .requiredOption('--model <dir>', 'model made by f3 fuse')
    .requiredOption('--bundles <path...>', 'folder of bundles, or bundle files');
  return addPredictionOptions(command)
    .option('--out <file>', '.arrow or .csv; without it CSV goes to stdout')
    .option('--threads <n>', 'default: F3_THREADS, else all cores', integerFrom(1, 256))
    .option('--force', 'replace a file that exists')
    .option('--json', 'print one line of JSON; without --out it holds the predictions')
    .addHelpText(
      'after',
      `
Every sample that occurs in a bundle is predicted, with the owners that have it; column owners says how many. An answer
does not depend on the other samples of the run (but for a model with --neighbour-graph batch, whose graph is the batch's own).

Examples:
  f3 predict --model model --bundles new-bundles --out predictions.csv
  f3 predict --model model --bundles new-bundles --without plant-7 --graphs mean`,
    )
    .action(runPredict);
}

async function runPredict(options: Options): Promise<void> {
  checkPredictionOutput(options);
  const start = performance.now();
  await printPredictions(await predict(options), options, start);
}

async function predict(options: Options): Promise<Predictions> {
  const { loadModel } = await import('../../facade/model.ts');
  const { BundleWarnings, printLines } = await import('./join-lines.ts');
  const model = await loadModel(options.model, { threads: options.threads });
  const progress = new Progress();
  const warnings = new BundleWarnings();
  try {
    return await model.predict(options.bundles, {
      without: options.without,
      graphs: graphsOf(options),
      onProgress: ({ done, total }) => progress.update('reading bundles', done, total),
      onWarning: warnings.add,
    });
  } finally {
    progress.stop();
    printLines(warnings.lines());
    await model.dispose();
  }
}
