// `f3 evaluate`: measures how good a model is, how well calibrated, and what is lost when owners are absent.
import { Command, InvalidArgumentError } from 'commander';
import { commaList, integerFrom } from '../option-values.ts';
import type { EvaluateOptions } from './evaluate-run.ts';
import { addPredictionOptions } from './prediction-options.ts';

export function evaluateCommand(): Command {
  const command = new Command('evaluate')
    .description('scores, confusion, calibration, and F1 against the share of owners absent')
    .requiredOption('--model <dir...>', 'models made by f3 fuse; several are compared')
    .requiredOption('--bundles <path...>', 'folder of bundles, or bundle files')
    .requiredOption('--labels <file>', 'Arrow or CSV: sample,label')
    .option('--split <file|seed>', 'as for f3 fuse; without it all labelled samples are the test part');
  return addPredictionOptions(command)
    .option('--no-absence', 'do not measure what absent owners cost')
    .option('--shares <list>', 'shares of owners absent (default: 0,0.1,…,0.9)', shareList)
    .option('--repeats <n>', 'random choices of absent owners per share', integerFrom(1, 1000), 5)
    .option('--seed <n>', 'of those choices', integerFrom(0), 0)
    .option('--figure <file.svg>', 'draw F1 against the share of owners absent')
    .option('--threads <n>', 'default: F3_THREADS, else all cores', integerFrom(1, 256))
    .option('--force', 'replace a figure that exists')
    .option('--json', 'print one line of JSON: {epochs, bestEpoch, seconds, validation, test, confusion, …}')
    .addHelpText(
      'after',
      `
Scores are scikit-learn's: F1 and ROC AUC of the second of two classes; of more classes macro F1 and the mean one-vs-one
AUC. An absent owner's embedding is zero and masked; the same owners are absent from every sample. To see what
--owner-dropout is worth, name a model trained with it and one without.

Examples:
  f3 evaluate --model model --bundles bundles --labels labels.csv --split split.json
  f3 evaluate --model plain with-dropout --bundles bundles --labels labels.csv --split split.json --figure absence.svg`,
    )
    .action(async (options: EvaluateOptions) => (await import('./evaluate-run.ts')).runEvaluate(options));
}

function shareList(text: string): number[] {
  const check = (value: string) => {
    const share = Number(value);
    if (value.trim() !== '' && share >= 0 && share < 1) return share;
    throw new InvalidArgumentError('It must be numbers of at least 0 and below 1, separated by commas.');
  };
  return commaList(text).map(check);
}
