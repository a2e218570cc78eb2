// The work behind `f3 fuse`.

import { checkTarget } from '../../base/whole-directory.ts';
import { Engine } from '../../core/engine/engine.ts';
import { F3Error } from '../../errors.ts';
import { type FusionInput, fuseOwners } from '../../fuse/fuse-owners.ts';
import { CANDIDATE_LEARNING_RATES, isVoteMethod } from '../../fuse/fusion-config.ts';
import { placeSplit } from '../../fuse/join/place-split.ts';
import { type SplitIdentity, splitIdentity, splitIds } from '../../fuse/join/split-identity.ts';
import type { FusedModel } from '../../fuse/model/fused-model.ts';
import { loadFusedModel, modelTarget, saveFusedModel } from '../../fuse/model/model-folder.ts';
import { CheckpointFolder, fingerprint } from '../../fuse/training/checkpoint-folder.ts';
import { refitOwner } from '../../fuse/training/refit-owner.ts';
import { printResult } from '../run-command.ts';
import { untilInterrupted } from '../terminal/interrupt.ts';
import { Progress } from '../terminal/progress.ts';
import { scoreLines } from '../terminal/score-lines.ts';
import { describeJoin, joinBundles, readAdjacency, readLabelFile, readSplit } from './fusion-files.ts';
import { configOf, type FusionOptions, modelOptionGiven, trainingChanges } from './fusion-options.ts';
import { FusionProgress } from './fusion-progress.ts';
import { refuseIdleOptions } from './idle-options.ts';

export interface FuseCommandOptions extends FusionOptions {
  bundles: string[];
  labels: string;
  /** Without it, a refit takes the model's seed. */
  split?: string;
  out?: string;
  refit?: string;
  model?: string;
  resume?: boolean;
  threads?: number;
  force?: boolean;
  json?: boolean;
}

/** Between checkpoints, unless F3_CHECKPOINT_SECONDS says otherwise. */
const CHECKPOINT_SECONDS = 3;

export async function runFuse(options: FuseCommandOptions): Promise<void> {
  checkOptions(options);
  const { out, force = false } = options;
  if (out) checkTarget(out, modelTarget(force));
  const engine = new Engine({ threads: options.threads });
  try {
    const model = options.refit ? await refit(engine, options, options.refit) : await fuse(engine, options);
    if (out) saveFusedModel(out, model, { overwrite: force });
    const { epochs, bestEpoch, seconds, validation, test, owners, samples, learningRates, refitted } = model.facts;
    const summary = {
      ...{ epochs, bestEpoch, seconds, validation, test, owners: owners.length, samples },
      upload: uploadOf(model),
      ...(learningRates && { learningRates }),
      ...(refitted && { refitted }),
      ...(out && { out }),
    };
    printResult(summary, text(model, out), options.json);
  } finally {
    await engine.dispose();
  }
}

async function fuse(engine: Engine, options: FuseCommandOptions): Promise<FusedModel> {
  const config = configOf(options);
  const input = await readInput(engine, options, { votes: isVoteMethod(config.method) });
  if (options.adjacency) {
    const owners = input.joined.owners.map(({ owner }) => owner);
    input.adjacency = await readAdjacency(options.adjacency, owners);
  }
  const about = fingerprint(input, config);
  const resume = options.resume ?? false;
  const seconds = Number(process.env.F3_CHECKPOINT_SECONDS ?? CHECKPOINT_SECONDS);
  const checkpoints = options.out
    ? new CheckpointFolder(`${options.out}.checkpoint`, { about, resume, seconds })
    : undefined;
  const progress = new FusionProgress(config);
  const learningRates = options.lr === 'auto' ? CANDIDATE_LEARNING_RATES : [config.learningRate];
  const hint = checkpoints ? 'the same command with --resume goes on' : 'nothing was kept: no --out was given';
  const model = await untilInterrupted(hint, progress, (signal) =>
    fuseOwners(engine, input, config, { learningRates, checkpoints, signal, onEpoch: progress.epoch }),
  );
  checkpoints?.clear();
  return model;
}

async function refit(engine: Engine, options: FuseCommandOptions, owner: string): Promise<FusedModel> {
  const old = await loadFusedModel(engine, options.model as string);
  // Its new embeddings may be of another width; the others' may not.
  const widths = old.facts.owners.map(({ owner: id, width }) => (id === owner ? { owner: id } : { owner: id, width }));
  if (!widths.some((entry) => entry.owner === owner)) {
    throw new F3Error('F3_FUSE_OWNER', `--refit: must be an owner of model ${options.model}, got ${owner}`);
  }
  if (options.split === undefined && old.facts.split?.seed === undefined) {
    const rule = 'must be given to refit a model that was not split by a seed';
    throw new F3Error('F3_OPTION', `--split: ${rule}, got none (${options.model})`);
  }
  const input = await readInput(engine, options, {
    owners: widths,
    classes: old.facts.classes,
    split: old.facts.split,
  });
  const changes = trainingChanges(options);
  const changed = { ...old, facts: { ...old.facts, config: { ...old.facts.config, ...changes } } };
  const progress = new FusionProgress(changed.facts.config);
  return untilInterrupted('nothing was changed', progress, (signal) =>
    refitOwner(engine, changed, owner, input, { signal, onEpoch: progress.epoch }),
  );
}

interface InputNeeds {
  votes?: boolean;
  owners?: { owner: string; width?: number }[];
  classes?: string[];
  /** Of the model to refit. */
  split?: SplitIdentity | undefined;
}

async function readInput(engine: Engine, options: FuseCommandOptions, needs: InputNeeds): Promise<FusionInput> {
  const labels = await readLabelFile(options.labels, needs.classes ?? options.classes);
  const given = options.split ?? String(needs.split?.seed);
  const split = /^\d+$/.test(given) ? Number(given) : await readSplit(given, labels);
  const progress = new Progress();
  const warnings: string[] = [];
  const { votes = false, owners } = needs;
  const join = { samples: labels.samples, votes, ...(owners && { owners }) };
  const joined = await joinBundles(engine, options.bundles, join, {
    progress: progress.update,
    warn: (line) => warnings.push(line),
  }).finally(() => progress.stop());
  const { rows, unused } = placeSplit(splitIds(split, labels.samples), joined, labels);
  for (const line of [...warnings, ...describeJoin(joined, unused)]) process.stderr.write(`${line}\n`);
  return { joined, labels, split: rows, splitIdentity: splitIdentity(split, labels.samples) };
}

function checkOptions(options: FuseCommandOptions): void {
  const fail = (message: string): never => {
    throw new F3Error('F3_OPTION', message);
  };
  const { refit: owner, model, resume, out } = options;
  for (const name of ['out', 'refit', 'model', 'adjacency'] as const) {
    if (options[name] === '') fail(`--${name}: must be a name, got an empty one`);
  }
  if (options.split === undefined && !owner) fail('--split: must be a file or a seed, got none');
  if (owner && !model) fail('--refit: the model must be named with --model, got none');
  if (model && !owner) fail('--model: is for --refit only; --out names the model to write');
  if (resume && !out) fail('--resume: the checkpoint lies beside --out, got no --out');
  if (resume && owner) fail('--resume: a refit keeps no checkpoint; start it again without --resume');
  const other = owner && (modelOptionGiven(options) ?? (options.lr === 'auto' ? '--lr auto' : undefined));
  if (other) fail(`--refit: the model stays what it is but for one alignment, got ${other}`);
  refuseIdleOptions(options);
}

/** What F³ sends, once: every owner's embeddings. */
function uploadOf({ facts: { owners } }: FusedModel): { messages: number; bytes: number } {
  const bytes = owners.reduce((sum, { rows, width }) => sum + rows * width * Float32Array.BYTES_PER_ELEMENT, 0);
  return { messages: owners.length, bytes };
}

function text(model: FusedModel, out: string | undefined): string {
  const { epochs, bestEpoch, seconds, validation, test, learningRates, config } = model.facts;
  const { messages, bytes } = uploadOf(model);
  const trained = epochs > 0 ? `${epochs} epochs, the best was ${bestEpoch}, ` : '';
  const tried = learningRates?.map(({ rate, validationLoss }) => `${rate}: ${validationLoss.toFixed(4)}`).join(', ');
  return [
    `${trained}${seconds.toFixed(1)} s`,
    ...(tried ? [`validation loss by learning rate: ${tried}; took ${config.learningRate}`] : []),
    ...scoreLines({ validation, test }),
    `each of ${messages} owners sent one message, ${(bytes / 1e6).toFixed(1)} MB of embeddings in all`,
    ...(out ? [`model written to ${out}`] : ['model not kept: --out names a folder for it']),
  ].join('\n');
}
