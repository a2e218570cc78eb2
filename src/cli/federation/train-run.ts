// The work behind `f3 federation train`.
import { errorCode, F3Error } from '../../errors.ts';
import type { CoordinatorClient } from '../../exchange/client/coordinator-client.ts';
import type { TrainingRequest, TrainingStatus } from '../../exchange/messages.ts';
import { CANDIDATE_LEARNING_RATES } from '../../fuse/fusion-config.ts';
import { graphWeights, graphWithout, readGraph } from '../../fuse/join/given-graph.ts';
import {
  configChanges,
  configOf,
  ensembleOf,
  modelOptionGiven,
  presetOf,
  trainingChanges,
  trainingOptionGiven,
} from '../fuse/fusion-options.ts';
import type { TrainingLimits } from '../fuse/fusion-progress.ts';
import { refuseIdleOptions } from '../fuse/idle-options.ts';
import { budgetOf, checkSearchOptions, isSearch } from '../fuse/search-options.ts';
import { printResult } from '../run-command.ts';
import { operatorClient } from './member-client.ts';
import type { FederationTrainOptions } from './train.ts';
import { wholeTrainingId } from './training-id.ts';
import { trainingReport } from './training-report.ts';
import { waitingReason, watchTraining } from './watch-training.ts';

export async function runTrain(federation: string, options: FederationTrainOptions): Promise<void> {
  const { follow, cancel, detach, json } = options;
  checkOptions(options);
  const client = await operatorClient(federation, options);
  if (cancel !== undefined) {
    const ended = await wholeTrainingId(client, federation, cancel, '--cancel');
    await client.cancelTraining(federation, ended);
    return printResult({ id: ended, cancelled: true }, `training ${ended} is told to end`, json);
  }
  const followed = follow === undefined ? undefined : await wholeTrainingId(client, federation, follow, '--follow');
  const { id, workers } = followed
    ? { id: followed }
    : await client.train(federation, await requestOf(client, federation, options));
  if (detach) {
    if (workers === 0) process.stderr.write(`${waitingReason(workers)}\n`);
    const hint = `f3 federation train ${federation} --follow ${id} watches it`;
    return printResult({ id }, `training ${id} started; ${hint}`, json);
  }
  const training = await watchTraining(client, federation, id, limitsOf(options));
  if (training.state !== 'done') throw notDone(training);
  const { models, text } = await trainingReport(client, federation, training);
  printResult({ ...training, models }, text, json);
}

/** Only options that were given are sent, because the coordinator's defaults may be newer than ours. */
async function requestOf(
  client: CoordinatorClient,
  federation: string,
  options: FederationTrainOptions,
): Promise<TrainingRequest> {
  const { lr, split, classes, without, adjacency, refit, model, promote, absenceWeight } = options;
  const parts = split === undefined ? {} : { split: await splitOf(split) };
  if (refit !== undefined) {
    const refitted = { owner: refit, ...(model !== undefined && { model }) };
    return { config: trainingChanges(options), ...parts, refit: refitted, ...(promote && { promote }) };
  }
  const budget = budgetOf(options);
  const ensemble = ensembleOf(options);
  return {
    ...((options.preset ?? options.row) && { preset: isSearch(options) ? 'auto' : presetOf(options) }),
    config: configChanges(options),
    ...(budget && { budget }),
    ...(absenceWeight !== undefined && { absenceWeight }),
    ...(ensemble && { ensemble }),
    ...(lr === 'auto' && { learningRates: CANDIDATE_LEARNING_RATES }),
    ...parts,
    ...(classes && { classes }),
    ...(without && { without }),
    ...(adjacency !== undefined && { adjacency: await adjacencyOf(client, federation, adjacency, without) }),
    ...(promote && { promote }),
  };
}

async function splitOf(seedOrFile: string): Promise<NonNullable<TrainingRequest['split']>> {
  if (/^\d+$/.test(seedOrFile)) return Number(seedOrFile);
  const { readText } = await import('../../base/read-file.ts');
  const { parseSplitFile } = await import('../../exchange/labels/split.ts');
  return parseSplitFile(await readText(seedOrFile), seedOrFile, []); // the list is empty because the coordinator's samples are not known here
}

/** The graph covers the owners that have sent a bundle; an owner that has sent nothing takes no part in a training. */
async function adjacencyOf(
  client: CoordinatorClient,
  federation: string,
  file: string,
  without: readonly string[] = [],
) {
  const { owners: entries } = await client.status(federation);
  const owners = entries.filter(({ owner, bundle }) => bundle && !without.includes(owner)).map(({ owner }) => owner);
  const flat = graphWeights(graphWithout(await readGraph(file), without), owners, `graph ${file}`);
  const weights = owners.map((_, row) => Array.from(flat.subarray(row * owners.length, (row + 1) * owners.length)));
  return { owners, weights };
}

/** The patience of a training that was started before, or of a refit, is known to the coordinator only. */
function limitsOf(options: FederationTrainOptions): TrainingLimits {
  if (isSearch(options)) return { epochs: 0 }; // fits are shown instead
  const { epochs, patience } = configOf(options);
  return options.follow === undefined && options.refit === undefined ? { epochs, patience } : { epochs };
}

function checkOptions(options: FederationTrainOptions): void {
  const { follow, cancel, refit, model, lr } = options;
  const fail = (message: string): never => {
    throw new F3Error('F3_OPTION', message);
  };
  if (follow !== undefined && cancel !== undefined) fail('--follow: stands alone, got --cancel');
  const given = follow === undefined && cancel === undefined ? undefined : startOptionGiven(options);
  if (given)
    fail(`${cancel === undefined ? '--follow' : '--cancel'}: is for a training that has started, got ${given}`);
  if (model !== undefined && refit === undefined) fail('--model: is for --refit only');
  if (refit !== undefined && lr === 'auto') fail('--lr auto: is not for --refit, which keeps the rate of the model');
  const other = refit === undefined ? undefined : modelOptionGiven(options);
  if (other) fail(`--refit: the model stays what it is but for one alignment, got ${other}`);
  if (refit !== undefined && options.without) fail('--refit: is of a model with all its owners, got --without');
  if (refit !== undefined && ensembleOf(options)) fail('--refit: is for one model, got --fits');
  checkSearchOptions(options, { '--fits': options.fits, '--refit': refit });
  refuseIdleOptions(options);
}

/** The first given option that only makes sense when a training starts, as it stands on the command line. */
function startOptionGiven(options: FederationTrainOptions): string | undefined {
  if (options.detach) return '--detach';
  const ours = (['split', 'without', 'refit', 'model', 'promote', 'fits'] as const).find(
    (name) => options[name] !== undefined,
  );
  return ours ? `--${ours}` : (modelOptionGiven(options) ?? trainingOptionGiven(options));
}

function notDone({ id, state, error }: TrainingStatus): F3Error {
  const reason = error ? `: ${error.message}` : '';
  const code = errorCode(Object.assign(new Error(), { code: error?.code })) ?? 'F3_TRAINING';
  return new F3Error(code, `training ${id}: must end with a model, got ${state}${reason}`);
}
