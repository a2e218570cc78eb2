// `f3 predict`: classes and probabilities for new samples, with whoever is present.
import { extname } from 'node:path';
import { Command } from 'commander';
import { F3Error } from '../../errors.ts';
import type { Predictions } from '../../infer/predictions.ts';
import { integerFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { Progress } from '../terminal/progress.ts';
import { addPredictionOptions, graphsOf, type PredictionOptions } from './prediction-options.ts';

interface Options extends PredictionOptions {
  model: string;
  bundles: string[];
  out?: string;
  threads?: number;
  force?: boolean;
  json?: boolean;
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
  const { out, force = false, json } = options;
  const format = out === undefined ? '.csv' : extname(out).toLowerCase();
  if (format !== '.csv' && format !== '.arrow') {
    throw new F3Error('F3_OPTION', `--out: must end in .arrow or .csv, got ${out}`);
  }
  const { writeWholeFile, checkFileTarget } = await import('../../base/whole-file.ts');
  if (out) checkFileTarget(out, force);
  const start = performance.now();
  const predictions = await predict(options);
  const { classes, samples, predicted } = predictions;
  const { predictionsToArrow, predictionsToCsv } = await import('../../infer/predictions.ts');
  if (out) writeWholeFile(out, format === '.arrow' ? predictionsToArrow(predictions) : predictionsToCsv(predictions));
  const seconds = (performance.now() - start) / 1000;
  const counts = classes.map((_, label) => predicted.reduce((sum, value) => sum + (value === label ? 1 : 0), 0));
  const summary = { samples: samples.length, classes, counts, seconds, ...(out && { out }) };
  const rows = () =>
    Array.from(predictions, (row) => ({ ...row, probabilities: classes.map((label) => row.probabilities[label]) }));
  const found = counts.map((count, label) => `${count} ${classes[label]}`).join(', ');
  const text = `${samples.length} samples predicted in ${seconds.toFixed(1)} s: ${found}; written to ${out}`;
  if (out || json) printResult(out ? summary : { ...summary, predictions: rows() }, text, json);
  else process.stdout.write(predictionsToCsv(predictions));
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
