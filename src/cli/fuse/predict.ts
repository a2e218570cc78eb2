// `f3 predict`: classes and probabilities for new samples, with whoever is present.
import { extname } from 'node:path';
import { Command } from 'commander';
import { F3Error } from '../../errors.ts';
import { integerFrom } from '../option-values.ts';
import { printResult } from '../run-command.ts';
import { Progress } from '../terminal/progress.ts';
import { addPredictionOptions, checkKnown, graphsOf, type PredictionOptions } from './prediction-options.ts';

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
does not depend on the other samples of the run (but for --graph knn, whose graph is the batch's own).

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
  const { classes, samples, predicted, probabilities, present } = predictions;
  const { predictionsToArrow, predictionsToCsv } = await import('../../infer/predictions.ts');
  if (out) writeWholeFile(out, format === '.arrow' ? predictionsToArrow(predictions) : predictionsToCsv(predictions));
  const seconds = (performance.now() - start) / 1000;
  const counts = classes.map((_, label) => predicted.reduce((sum, value) => sum + (value === label ? 1 : 0), 0));
  const summary = { samples: samples.length, classes, counts, seconds, ...(out && { out }) };
  const rows = () =>
    samples.map((sample, row) => ({
      ...{ sample, class: classes[predicted[row]] },
      probabilities: Array.from(probabilities.subarray(row * classes.length, (row + 1) * classes.length)),
      owners: present[row],
    }));
  const found = counts.map((count, label) => `${count} ${classes[label]}`).join(', ');
  const text = `${samples.length} samples predicted in ${seconds.toFixed(1)} s: ${found}; written to ${out}`;
  if (out || json) printResult(out ? summary : { ...summary, predictions: rows() }, text, json);
  else process.stdout.write(predictionsToCsv(predictions));
}

async function predict(options: Options) {
  const [{ Engine }, { loadFusedModel }, { predictAll }, { joinBundles }] = await Promise.all([
    import('../../core/engine/engine.ts'),
    import('../../fuse/model/model-folder.ts'),
    import('../../infer/predictions.ts'),
    import('./fusion-files.ts'),
  ]);
  const engine = new Engine({ threads: options.threads });
  const progress = new Progress();
  try {
    const model = await loadFusedModel(engine, options.model);
    const owners = model.facts.owners.map(({ owner, width }) => ({ owner, width }));
    checkKnown(options.without ?? [], owners, options.model);
    const join = { owners, votes: model.rule !== undefined, ...(options.without && { without: options.without }) };
    const warn = (line: string) => process.stderr.write(`${line}\n`);
    const joined = await joinBundles(engine, options.bundles, join, { progress: progress.update, warn });
    return predictAll(engine, model, joined, graphsOf(options));
  } finally {
    progress.stop();
    await engine.dispose();
  }
}
