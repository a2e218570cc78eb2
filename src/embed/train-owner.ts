// [owner] Trains one owner from its own folder and nothing else, and leaves the model there.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { sha256 } from '../base/sha256.ts';
import type { Engine } from '../core/engine/engine.ts';
import type { OwnerData } from '../data/dataset/dataset-format.ts';
import { readOwnerFolder } from '../data/dataset/owner-folder.ts';
import { F3Error } from '../errors.ts';
import { checkTrainingOptions } from './check-training-options.ts';
import type { LocalModel } from './local-model.ts';
import { makeLocalModel } from './make-local-model.ts';
import { type Normalisation, normalise, zScore } from './normalise-windows.ts';
import {
  hasOwnWeights,
  loadOwnerModel,
  MODEL_FORMAT,
  MODEL_VERSION,
  type ModelCard,
  type OwnerTrainingOptions,
  readModelCard,
  saveOwnerModel,
} from './owner-model.ts';
import type { OwnerSearchRecord } from './owner-search.ts';
import { answerInstead, learnAnswers, type RoundedAnswers } from './rounded-answers.ts';
import {
  type LocalFit,
  type LocalTrainingData,
  predictLocal,
  trainInTurn,
  trainLocalModel,
} from './train-local-model.ts';

/** An owner with its labels, which training needs. */
export interface LabelledOwner extends OwnerData {
  labels: Int32Array;
  classes: string[];
  rows: { train: Uint32Array; validation: Uint32Array; test: Uint32Array };
  /** SHA-256 of the files it was read from. */
  hash: string;
}

export async function readLabelledOwner(folder: string): Promise<LabelledOwner> {
  const owner = await readOwnerFolder(folder);
  const { id, labels, parts, classes } = owner;
  if (!labels || !parts || !classes) {
    throw new F3Error('F3_DATA_LABEL', `owner ${id}: labels.arrow must lie in ${folder}, got none`);
  }
  const rowsOf = (part: string) => Uint32Array.from(parts.keys()).filter((row) => parts[row] === part);
  const rows = { train: rowsOf('train'), validation: rowsOf('validation'), test: rowsOf('test') };
  for (const part of ['train', 'validation'] as const) {
    if (rows[part].length === 0) {
      throw new F3Error('F3_DATA_SPLIT', `owner ${id}: must have at least one ${part} window, got none`);
    }
  }
  const files = await Promise.all(['windows.arrow', 'labels.arrow'].map((file) => readFile(join(folder, file))));
  return { ...owner, labels, classes, rows, hash: sha256(...files) };
}

/** Seed of an owner's weights and shuffles. It is the same whether the owner trains alone or among all. */
export function ownerSeed(seed: number, owner: string): number {
  return Number.parseInt(sha256(`${seed}/${owner}`).slice(0, 13), 16);
}

/**
 * Trains unless the folder already holds the model that these options and this data would give. With a shield, training goes on from the
 * model that the folder holds where that is what training without the shield gives, to the bits that it has from the start.
 */
export async function trainOwner(
  engine: Engine,
  folder: string,
  options: OwnerTrainingOptions,
  { force = false, onEpoch }: { force?: boolean; onEpoch?: (epoch: number) => void } = {},
): Promise<{ card: ModelCard; trained: boolean }> {
  const owner = await readLabelledOwner(folder);
  const existing = force ? undefined : await readModelCard(folder);
  const isOwn = existing && !existing.common && !existing.search && existing.data === owner.hash;
  if (isOwn && isTrainedWith(existing, options) && (await hasOwnWeights(folder, existing)))
    return { card: existing, trained: false };
  checkTrainingOptions(options);
  const seed = ownerSeed(options.seed, owner.id);
  const { model, normalisation, data } = prepare(engine, owner, options, seed);
  const isBefore = isOwn && options.shield && isTrainedWith(existing, withoutShield(options));
  const before = isBefore && (await loadsWeights(engine, folder, existing, model)) ? existing : undefined;
  // The seconds that are told are those of the whole training.
  const start = performance.now() - 1000 * (before?.seconds ?? 0);
  const begun = before && { ...before.scores, epochs: before.epochs, bestEpoch: before.bestEpoch };
  const fit = trainLocalModel(engine, model, data, { ...options, seed }, onEpoch, begun);
  const card = await finish(engine, folder, owner, { model, normalisation, data, fit, options, start });
  model.dispose();
  engine.free(data.windows);
  return { card, trained: true };
}

/** The options under which training alone is what a shield goes on from: its epochs are compared by loss. */
const withoutShield = ({ shield: _, ...options }: OwnerTrainingOptions): OwnerTrainingOptions => ({
  ...options,
  bestBy: 'loss',
});

/** Gives `model` the weights that lie in the folder, if they are the card's: a run that was killed may have written others. */
async function loadsWeights(engine: Engine, folder: string, card: ModelCard, model: LocalModel): Promise<boolean> {
  const stored = await loadOwnerModel(engine, folder, card).catch(() => undefined);
  if (!stored) return false;
  for (const [name, tensor] of Object.entries(model.parameters)) tensor.data.set(stored.parameters[name].data);
  stored.dispose();
  return true;
}

/** How to watch or stop the training of a common model. */
export interface CommonTrainingOptions {
  onEpoch?: (epoch: number) => void;
  signal?: AbortSignal | undefined;
}

/**
 * Trains one model over every owner's data in turn and writes it to each owner's folder. This is row A of Table 2, a
 * baseline: a federation cannot work like this.
 */
export async function trainCommonModel(
  engine: Engine,
  folders: readonly string[],
  options: OwnerTrainingOptions,
  { onEpoch, signal }: CommonTrainingOptions = {},
): Promise<ModelCard[]> {
  const start = performance.now();
  checkTrainingOptions(options);
  const owners = await Promise.all(folders.map(readLabelledOwner));
  const shapeOf = ({ length, variates }: OwnerData) => `${length} × ${variates.join(', ')}`;
  const other = owners.find((owner) => shapeOf(owner) !== shapeOf(owners[0]));
  if (other) {
    const rule = `windows must be ${shapeOf(owners[0])} like those of ${owners[0].id} for a common model`;
    throw new F3Error('F3_DATA_FORMAT', `owner ${other.id}: ${rule}, got ${shapeOf(other)}`);
  }
  // The model comes from the first owner. The others add their windows, each with its own normalisation.
  const prepared = owners.map((owner) => prepare(engine, owner, options, options.seed));
  const { model } = prepared[0];
  for (const { model: spare } of prepared.slice(1)) spare.dispose();
  const data = prepared.map((each) => each.data);
  const fit = await runToEnd(trainInTurn(engine, model, data, options), async (epoch) => {
    onEpoch?.(epoch);
    await pause(); // An epoch of many owners takes seconds, and an abort must be noticed meanwhile.
    signal?.throwIfAborted();
  });
  const cards: ModelCard[] = [];
  for (const [i, owner] of owners.entries()) {
    const { normalisation, data } = prepared[i];
    cards.push(
      await finish(engine, folders[i], owner, { model, normalisation, data, fit, options, start, common: true }),
    );
    engine.free(data.windows);
  }
  model.dispose();
  return cards;
}

/** Runs a generator to its end, with a call of `after` for everything it yields, and returns its result. */
async function runToEnd<Step, Result>(
  steps: Generator<Step, Result>,
  after: (step: Step) => Promise<void>,
): Promise<Result> {
  try {
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      await after(value);
    }
  } finally {
    steps.return(undefined as never);
  }
}

/** A model with fresh weights, and the owner's windows as the model will see them. */
export function prepare(engine: Engine, owner: LabelledOwner, options: OwnerTrainingOptions, seed: number) {
  const { length, classes, rows, labels } = owner;
  const variates = owner.variates.length;
  const normalisation =
    options.normalisation === 'z-score' ? zScore(owner.windows, rows.train, length, variates) : undefined;
  const { model: kind, width, bottleneck, tiedHead } = options;
  const shape = { length, variates };
  const architecture = { kind, width, bottleneck, classes: classes.length, seed, tiedHead };
  const model = makeLocalModel(engine, shape, architecture);
  const windows = loadWindows(engine, owner, normalisation);
  const { train, validation } = rows;
  return { model, normalisation, data: { owner: owner.id, windows, labels, train, validation } };
}

export interface FinishedTraining {
  model: LocalModel;
  normalisation: Normalisation | undefined;
  data: LocalTrainingData;
  fit: LocalFit;
  options: OwnerTrainingOptions;
  start: number;
  common?: boolean;
  search?: OwnerSearchRecord;
}

/** Scores the test windows and writes weights and card. */
export async function finish(
  engine: Engine,
  folder: string,
  owner: LabelledOwner,
  finished: FinishedTraining,
): Promise<ModelCard> {
  const { model, normalisation, data, fit, options, start, common, search } = finished;
  const { labels, rows } = owner;
  const answers = options.answers === undefined ? undefined : answersOf(engine, model, owner, data, options);
  const sending = answers ? answerInstead(model, answers) : model;
  const tested = predictLocal(engine, sending, data.windows, rows.test).classes;
  const testAccuracy = tested.filter((label, i) => label === labels[rows.test[i]]).length / rows.test.length;
  return saveOwnerModel(folder, model, {
    format: MODEL_FORMAT,
    version: MODEL_VERSION,
    owner: owner.id,
    classes: owner.classes,
    length: owner.length,
    variates: owner.variates,
    options,
    ...(common && { common }),
    ...(normalisation && { normalisation }),
    ...(answers && { answers }),
    data: owner.hash,
    scores: {
      trainLoss: fit.trainLoss,
      validationAccuracy: fit.validationAccuracy,
      testAccuracy,
      ...(fit.reconstructionError !== undefined && { reconstructionError: fit.reconstructionError }),
      ...(fit.left !== undefined && { left: fit.left }),
    },
    ...(search && { search }),
    epochs: fit.epochs,
    ...(fit.beforeShield && { beforeShield: fit.beforeShield }),
    bestEpoch: fit.bestEpoch,
    seconds: (performance.now() - start) / 1000,
  });
}

/** How the model's answers are rounded, learned from the training windows; merging looks at the validation windows, too. */
function answersOf(
  engine: Engine,
  model: LocalModel,
  { labels, rows, classes, windows, length, variates }: LabelledOwner,
  data: LocalTrainingData,
  { answers = 2, maxRecovery: limit }: OwnerTrainingOptions,
): RoundedAnswers {
  const logits = (of: Uint32Array) => predictLocal(engine, model, data.windows, of).logits;
  const size = length * variates.length;
  const known = new Uint32Array(rows.train.length + rows.validation.length);
  known.set(rows.train);
  known.set(rows.validation, rows.train.length);
  const readings = new Float32Array(known.length * size);
  for (const [i, row] of known.entries()) readings.set(windows.subarray(row * size, (row + 1) * size), i * size);
  const merging = limit !== undefined && {
    logits: logits(known),
    labels: Int32Array.from(known, (row) => labels[row]),
    isHeldOut: Array.from(known, (_, i) => i >= rows.train.length),
    windows: readings,
    length,
    variates: variates.length,
    limit,
  };
  return learnAnswers(logits(rows.train), classes.length, answers, merging || undefined);
}

/** Puts an owner's windows, [sample, time, variate], into the engine's memory. */
export function loadWindows(engine: Engine, owner: OwnerData, normalisation: Normalisation | undefined) {
  const values = normalisation ? normalise(owner.windows, normalisation) : owner.windows;
  return engine.buffer([owner.samples.length, owner.length, owner.variates.length], values);
}

/** Shields once worked from the first epoch on, which kept many models from learning the label: such a model is trained again. */
export function isTrainedWith({ options: known, beforeShield }: ModelCard, options: OwnerTrainingOptions): boolean {
  const text = (options: OwnerTrainingOptions) => JSON.stringify(Object.fromEntries(Object.entries(options).sort()));
  return text(known) === text(options) && (options.shield === undefined || beforeShield !== undefined);
}
