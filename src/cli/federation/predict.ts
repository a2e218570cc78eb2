// `f3 federation predict`: asks the coordinator's active model, with whoever is present. For operators and label holders.
import { Command, Option } from 'commander';
import { F3Error } from '../../errors.ts';
import type { CoordinatorClient } from '../../exchange/client/coordinator-client.ts';
import type { PredictionAnswer } from '../../exchange/messages.ts';
import { checkPredictionOutput, type PredictionOutput, printPredictions } from '../fuse/print-predictions.ts';
import { Progress } from '../terminal/progress.ts';
import { addOperatorOptions, FEDERATION_TEXT, type MemberOptions, operatorPlace } from './member-client.ts';

interface Options extends MemberOptions, PredictionOutput {
  bundles?: string[];
  samples?: string;
  without?: string[];
  graphs: 'sampled' | 'mean';
}

export function federationPredictCommand(): Command {
  const command = new Command('predict')
    .description('predict samples through the coordinator, with its active model')
    .argument('[federation]', FEDERATION_TEXT)
    .option('--bundles <path...>', 'folder of bundles, or bundle files')
    .option('--samples <file>', 'instead: Arrow with columns sample, owner, embedding; or JSON; on shares: ids')
    .option('--without <owner...>', 'leave these owners out, as if they had sent nothing')
    .addOption(
      new Option('--graphs <kind>', 'average over sampled graphs, or one pass with the mean graph')
        .choices(['sampled', 'mean'])
        .default('sampled'),
    )
    .option('--out <file>', '.arrow or .csv; without it CSV goes to stdout')
    .option('--force', 'replace a file that exists');
  return addOperatorOptions(command)
    .option('--json', 'print one line of JSON; without --out it holds the predictions')
    .addHelpText(
      'after',
      `
The answers are those of f3 predict, in the same form. JSON is {"samples": [{"id": "s1", "embeddings": {"plant-7": [0.1, …]}}]}, or one
such sample per line. Many samples go in several requests; all are answered by one model.

In a federation on shares nobody has embeddings: --samples names samples that owners have pushed, {"samples": [{"id": "s1"}]}, or a text
file with an id per line.

Examples:
  f3 federation predict grid --bundles new-bundles --out predictions.csv
  f3 federation predict grid --samples live.json --json`,
    )
    .action(runPredict);
}

async function runPredict(named: string | undefined, options: Options): Promise<void> {
  const { bundles, samples: file, without = [], graphs } = options;
  if ((bundles === undefined) === (file === undefined)) {
    const got = bundles === undefined ? 'neither' : 'both';
    throw new F3Error('F3_OPTION', `--bundles or --samples: one of them must be given, got ${got}`);
  }
  checkPredictionOutput(options);
  const start = performance.now();
  const { client, federation } = await operatorPlace(named, options);
  const { readSampleIds } = await import('./sample-ids-file.ts');
  const ids = file === undefined ? undefined : await readSampleIds(file);
  if (ids) {
    const { predictShared } = await import('../../exchange/client/predict-samples.ts');
    await requireKnown(client, federation, without);
    const shown = new Progress();
    const update = (done: number, total: number) => total > done && shown.update('predicting', done, total);
    const answered = await predictShared(client, federation, ids, { graphs, without, onProgress: update }).finally(() =>
      shown.stop(),
    );
    return printPredictions(await asTable(answered), options, start, { model: answered.model });
  }
  const { samplesOfBundles, samplesOfFile } = await import('./sample-embeddings.ts');
  const { BundleWarnings, printLines } = await import('../fuse/join-lines.ts');
  const warnings = new BundleWarnings();
  const { samples, leftOut } = bundles
    ? await samplesOfBundles(bundles, without, warnings.add)
    : await samplesOfFile(file as string, without);
  printLines(warnings.lines());
  if (samples.size === 0) throw new F3Error('F3_OPTION', '--without: must leave an owner, got all left out');
  await requireKnown(
    client,
    federation,
    without.filter((owner) => !leftOut.has(owner)),
  );
  const { predictSamples } = await import('../../exchange/client/predict-samples.ts');
  const progress = new Progress();
  const onProgress = (done: number, total: number) => total > done && progress.update('predicting', done, total);
  const answer = await predictSamples(client, federation, samples, { graphs, onProgress }).finally(() =>
    progress.stop(),
  );
  await printPredictions(await asTable(answer), options, start, { model: answer.model });
}

/** Whoever is to be left out must be there: a mistyped name would leave somebody in who was not wanted. */
async function requireKnown(client: CoordinatorClient, federation: string, without: readonly string[]): Promise<void> {
  if (without.length === 0) return;
  const { owners } = await client.status(federation);
  const unknown = without.find((name) => !owners.some(({ owner }) => owner === name));
  if (unknown === undefined) return;
  const rule = `must name owners of federation ${federation}, or of the embeddings`;
  throw new F3Error('F3_FUSE_OWNER', `without: ${rule}, got ${unknown || 'an empty name'}`, { remedy: 'without' });
}

async function asTable({ classes, predictions }: PredictionAnswer) {
  const { Predictions } = await import('../../infer/predictions.ts');
  const isMixed = predictions.some(({ uncertainty }) => uncertainty !== undefined);
  return new Predictions({
    classes,
    samples: predictions.map(({ sample }) => sample),
    predicted: Int32Array.from(predictions, (one) => classes.indexOf(one.class)),
    probabilities: Float64Array.from(predictions.flatMap(({ probabilities }) => probabilities)),
    present: Int32Array.from(predictions, ({ owners }) => owners.length),
    uncertainty: isMixed ? Float64Array.from(predictions, (one) => one.uncertainty ?? Number.NaN) : undefined,
  });
}
