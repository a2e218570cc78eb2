// The work behind `f3 fuse`.

import { checkTarget } from '../../base/whole-directory.ts';
import { F3Error } from '../../errors.ts';
import { type FuseProgress, fuse } from '../../facade/fuse.ts';
import { loadModel, type Model } from '../../facade/model.ts';
import { CANDIDATE_LEARNING_RATES } from '../../fuse/fusion-config.ts';
import { modelTarget } from '../../fuse/model/model-folder.ts';
import { triedEncodings } from '../model/model-about.ts';
import { printResult } from '../run-command.ts';
import { untilInterrupted } from '../terminal/interrupt.ts';
import { Progress } from '../terminal/progress.ts';
import { scoreLines } from '../terminal/score-lines.ts';
import { searchLines } from '../terminal/search-lines.ts';
import {
  configChanges,
  configOf,
  ensembleOf,
  type FusionOptions,
  modelOptionGiven,
  presetOf,
  trainingChanges,
} from './fusion-options.ts';
import { FusionProgress, type TrainingLimits } from './fusion-progress.ts';
import { refuseIdleOptions } from './idle-options.ts';
import { BundleWarnings, joinLines, printLines } from './join-lines.ts';
import { budgetOf, checkSearchOptions, isSearch, type SearchCommandOptions } from './search-options.ts';
import { SearchProgressLines } from './search-progress.ts';
import { splitOf } from './split-option.ts';

export interface FuseCommandOptions extends FusionOptions, SearchCommandOptions {
  bundles: string[];
  labels: string;
  /** Without it, a refit takes the model's seed. */
  split?: string;
  /** Owners that are left out. */
  without?: string[];
  out?: string;
  fits?: number;
  /** Folder of a search. Without it one beside the output is used, and removed in the end. */
  search?: string;
  refit?: string;
  model?: string;
  resume?: boolean;
  threads?: number;
  force?: boolean;
  json?: boolean;
}

/** Seconds between checkpoints, unless F3_CHECKPOINT_SECONDS says otherwise. */
const CHECKPOINT_SECONDS = 3;

export async function runFuse(options: FuseCommandOptions): Promise<void> {
  checkOptions(options);
  const { out, force = false } = options;
  if (out) checkTarget(out, modelTarget(force));
  const model = await learn(options);
  try {
    if (out) await model.save(out, { overwrite: force });
    const {
      epochs,
      bestEpoch,
      seconds,
      validation,
      test,
      owners,
      samples,
      learningRates,
      encodings,
      refitted,
      search,
    } = model.facts;
    const summary = {
      epochs,
      bestEpoch,
      seconds,
      validation,
      test,
      owners: owners.length,
      samples,
      upload: uploadOf(model),
      learningRates,
      encodings,
      refitted,
      search,
      out,
    };
    printResult(summary, text(model, out), options.json);
  } finally {
    await model.dispose();
  }
}

function learn(options: FuseCommandOptions): Promise<Model> {
  if (isSearch(options)) return runSearch(options);
  return options.refit === undefined ? runFusion(options) : runRefit(options, options.refit);
}

/** Finished fits are kept beside the output or where the caller says, so that the same command goes on by itself. */
function runSearch(options: FuseCommandOptions): Promise<Model> {
  const { bundles, labels, classes, without, adjacency, out, search, absenceWeight, threads } = options;
  const folder = search ?? (out === undefined ? undefined : `${out}.search`);
  const hint = folder ? 'the same command goes on' : 'nothing was kept';
  const shown = new ShownProgress();
  return untilInterrupted(hint, shown, (signal) =>
    fuse({
      bundles,
      labels,
      split: splitOf(options.split as string),
      classes,
      without,
      graph: adjacency,
      config: { preset: 'auto', ...configChanges(options) },
      budget: budgetOf(options),
      search: { folder, keep: search !== undefined, absenceWeight },
      threads,
      signal,
      onProgress: shown.update,
      onWarning: shown.warnings.add,
    }),
  );
}

function runFusion(options: FuseCommandOptions): Promise<Model> {
  const { bundles, labels, classes, without, adjacency, lr, out, resume, threads } = options;
  const seconds = Number(process.env.F3_CHECKPOINT_SECONDS ?? CHECKPOINT_SECONDS);
  const keeps = out !== undefined;
  const hint = keeps ? 'the same command with --resume goes on' : 'nothing was kept';
  const shown = new ShownProgress(configOf(options));
  return untilInterrupted(hint, shown, (signal) =>
    fuse({
      bundles,
      labels,
      split: splitOf(options.split as string),
      classes,
      without,
      graph: adjacency,
      config: { preset: presetOf(options), ...configChanges(options) },
      learningRates: lr === 'auto' ? CANDIDATE_LEARNING_RATES : undefined,
      ensemble: ensembleOf(options),
      checkpoint: keeps ? { folder: `${out}.checkpoint`, resume, seconds } : undefined,
      threads,
      signal,
      onProgress: shown.update,
      onWarning: shown.warnings.add,
    }),
  );
}

async function runRefit(options: FuseCommandOptions, owner: string): Promise<Model> {
  const { bundles, labels, without, threads } = options;
  const old = await loadModel(options.model as string, { threads });
  try {
    const config = trainingChanges(options);
    const shown = new ShownProgress({ ...old.facts.config, ...config });
    const data = { bundles, labels, split: options.split === undefined ? undefined : splitOf(options.split) };
    return await untilInterrupted('nothing was changed', shown, (signal) =>
      old.refit(owner, data, { config, without, signal, onProgress: shown.update, onWarning: shown.warnings.add }),
    );
  } finally {
    await old.dispose();
  }
}

/** Shows how bundles are read, how owners and labels overlap, then the epochs of training or the fits of a search. */
class ShownProgress {
  readonly warnings = new BundleWarnings();
  readonly #reading = new Progress();
  readonly #searching = new SearchProgressLines();
  readonly #training: FusionProgress | undefined;

  /** Without limits no single training is shown. */
  constructor(limits?: TrainingLimits) {
    this.#training = limits && new FusionProgress(limits);
  }

  readonly update = (progress: FuseProgress): void => {
    if (progress.stage === 'reading') this.#reading.update('reading bundles', progress.done, progress.total);
    else if (progress.stage === 'training') this.#training?.epoch(progress);
    else if (progress.stage === 'search') this.#searching.update(progress);
    else {
      this.#reading.stop();
      printLines([...this.warnings.lines(), ...joinLines(progress)]);
    }
  };

  stop(): void {
    this.#reading.stop();
    this.#searching.stop();
    this.#training?.stop();
  }
}

function checkOptions(options: FuseCommandOptions): void {
  const fail = (message: string): never => {
    throw new F3Error('F3_OPTION', message);
  };
  const { refit: owner, model, resume, out } = options;
  for (const name of ['out', 'refit', 'model', 'adjacency', 'search'] as const) {
    if (options[name] === '') fail(`--${name}: must be a name, got an empty one`);
  }
  if (options.split === undefined && !owner) fail('--split: must be a file or a seed, got none');
  if (owner && !model) fail('--refit: the model must be named with --model, got none');
  if (model && !owner) fail('--model: is for --refit only; --out names the model to write');
  if (resume && !out) fail('--resume: the checkpoint lies beside --out, got no --out');
  if (owner && ensembleOf(options)) fail('--refit: is for one model, got --fits');
  if (resume && owner) fail('--resume: a refit keeps no checkpoint; start it again without --resume');
  const other = owner && (modelOptionGiven(options) ?? (options.lr === 'auto' ? '--lr auto' : undefined));
  if (other) fail(`--refit: the model stays what it is but for one alignment, got ${other}`);
  checkSearchOptions(options, {
    '--search': options.search,
    '--fits': options.fits,
    '--refit': owner,
  });
  refuseIdleOptions(options);
}

/** What all owners together send in F³: their embeddings, once. */
function uploadOf({ facts: { owners } }: Model): { messages: number; bytes: number } {
  const bytes = owners.reduce((sum, { rows, width }) => sum + rows * width * Float32Array.BYTES_PER_ELEMENT, 0);
  return { messages: owners.length, bytes };
}

function text(model: Model, out: string | undefined): string {
  const { epochs, bestEpoch, seconds, validation, test, learningRates, encodings, config } = model.facts;
  const { messages, bytes } = uploadOf(model);
  const { ensemble, search } = model.facts;
  const mixed = ensemble
    ? [`${ensemble.members.length} models as one, temperature ${ensemble.mixture.temperature.toFixed(2)}`]
    : [];
  const trained = epochs > 0 ? `${epochs} epochs, the best was ${bestEpoch}, ` : '';
  const tried = learningRates?.map(({ rate, validationLoss }) => `${rate}: ${validationLoss.toFixed(4)}`).join(', ');
  return [
    ...(search ? searchLines(search) : []),
    `${trained}${seconds.toFixed(1)} s`,
    ...(tried ? [`validation loss by learning rate: ${tried}; took ${config.learningRate}`] : []),
    ...(encodings ? [`${triedEncodings(encodings)}; the lower one was kept`] : []),
    ...mixed,
    ...scoreLines({ validation, test }),
    `each of ${messages} owners sent one message, ${(bytes / 1e6).toFixed(1)} MB of embeddings in all`,
    ...(out ? [`model written to ${out}`] : ['model not kept: --out names a folder for it']),
  ].join('\n');
}
