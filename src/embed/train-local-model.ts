// [owner] Pre-training in isolation: one owner's windows and labels, nothing else (Algorithm 1, line 2).

import type { Engine } from '../core/engine/engine.ts';
import type { Tape } from '../core/engine/tape.ts';
import type { Tensor } from '../core/engine/tensor.ts';
import { indexOfMax } from '../core/index-of-max.ts';
import { add } from '../core/ops/add.ts';
import { gatherRows } from '../core/ops/gather-rows.ts';
import { softmaxCrossEntropy } from '../core/ops/softmax-cross-entropy.ts';
import { Adam } from '../core/optimizer/optimizer.ts';
import { RandomStream } from '../core/random.ts';
import { F3Error } from '../errors.ts';
import { judgeShield } from './judge-shield.ts';
import { labelLosses } from './label-losses.ts';
import type { LocalModel } from './local-model.ts';
import { makeShield, SHIELD_STREAM, type Shield, type ShieldOptions } from './shield.ts';
import type { TrainingObjective } from './training-objective.ts';
import { WindowDecoder } from './window-decoder.ts';

/** What on the validation part makes an epoch the best, by name. */
export const BEST_BY = ['accuracy', 'loss'] as const;
/**
 * What on the validation part makes an epoch the best. Accuracy counts a few hundred decisions, so that chance can put an early
 * epoch above what comes while the loss still falls; training then stops on a plateau.
 */
export type BestBy = (typeof BEST_BY)[number];

/** How a local model is trained. */
export interface LocalTrainingConfig {
  learningRate: number;
  batch: number;
  /** Largest number of epochs; with a shield so many without it and so many under it. */
  epochs: number;
  /** Training stops when more than this many epochs in a row fall short of the best one, see `bestBy`; with a shield, counted anew under it. */
  patience: number;
  /** What on the validation part makes an epoch the best; by default accuracy. */
  bestBy?: BestBy | undefined;
  seed: number;
  /** What the model is trained for; by default the label alone. */
  objective?: TrainingObjective | undefined;
  /** Weight of the reconstruction's mean squared error beside the label's cross-entropy; 1 by default. */
  reconstructionWeight?: number | undefined;
  /** What the model is trained against; by default nothing. */
  shield?: ShieldOptions | undefined;
}

/** What a local model is trained on. */
export interface LocalTrainingData {
  /** Whose data they are, for messages. */
  owner?: string | undefined;
  /** [sample, time, variate] in the engine's memory, normalised where the owner wants that */
  windows: Tensor;
  /** [sample] */
  labels: Int32Array;
  train: Uint32Array;
  validation: Uint32Array;
}

/** How the training of a local model went. */
export interface LocalFit {
  epochs: number;
  bestEpoch: number;
  validationAccuracy: number;
  /** Mean training loss of the best epoch: cross-entropy, plus the weighted squared error where windows are reconstructed. */
  trainLoss: number;
  /**
   * Mean squared error of the windows that the decoder read back from embeddings of the validation part, where there was
   * one. Of z-scored readings it is the share of their variance that an embedding keeps to itself.
   */
  reconstructionError?: number | undefined;
  /** Squared distance correlation that is left between windows and embeddings of the validation part, under a shield. */
  left?: number | undefined;
  /** The model that training went on from when its shield began. */
  beforeShield?: BeforeShield | undefined;
}

/** What a model had learned when its shield began: beside it stands what the shield hides and costs. */
export interface BeforeShield {
  epochs: number;
  validationAccuracy: number;
  /** Squared distance correlation of windows and embeddings of the validation part. */
  left: number;
}

const SHUFFLE_STREAM = 2;

/**
 * Trains `model` in place and leaves it with the weights of the best epoch on the validation part; among equals the later
 * one. With a shield the model first learns the label alone, until its validation loss falls no more, and then goes on under
 * the shield from the best weights it had: beside an embedding that says nothing yet a shield outweighs the label, and
 * training would end there. Accuracy alone would choose an epoch before the shield has worked, so the lowest loss decides,
 * the shield's part in it, among epochs under the shield. What comes under the shield depends on the weights that it begins
 * with and on nothing else of the training before, so that with `begun` only that is left to do, to the same bits.
 */
export function trainLocalModel(
  engine: Engine,
  model: LocalModel,
  data: LocalTrainingData,
  config: LocalTrainingConfig,
  onEpoch: (epoch: number) => void = () => undefined,
  begun?: BegunTraining,
): LocalFit {
  const epochs = trainInTurn(engine, model, [data], config, begun);
  for (;;) {
    const { done, value } = epochs.next();
    if (done) return value;
    onEpoch(value);
  }
}

/**
 * Trains one model over several owners: an epoch visits the data of each in turn, and the validation accuracy is their
 * mean. Yields the number of each epoch, so that the caller may pause there or give up.
 */
export function* trainInTurn(
  engine: Engine,
  model: LocalModel,
  owners: readonly LocalTrainingData[],
  config: LocalTrainingConfig,
  begun?: BegunTraining,
): Generator<number, LocalFit> {
  const decoder = makeDecoder(engine, model, owners[0].windows, config);
  const shield = config.shield && makeShield(config.shield);
  const course: Course = {
    engine,
    model,
    owners,
    config,
    decoder,
    learned: [...model.learned, ...(decoder?.learned ?? [])],
    tape: engine.tape(),
  };
  try {
    const alone = (shield && begun) ?? partOf(yield* trainPart(course, 0, undefined));
    const judged = () => shield && judgeShield(engine, model, shield, owners, config.seed).left;
    const leftAlone = judged();
    const part = shield ? partOf(yield* trainPart(course, alone.epochs, shield)) : alone;
    const { epochs, bestEpoch, validationAccuracy, trainLoss } = part;
    const reconstructionError = decoder && meanError(engine, model, decoder, owners);
    const left = judged();
    return {
      epochs,
      bestEpoch,
      validationAccuracy,
      trainLoss,
      ...(decoder && { reconstructionError }),
      ...(left !== undefined && { left }),
      ...(leftAlone !== undefined && {
        beforeShield: { epochs: alone.epochs, validationAccuracy: alone.validationAccuracy, left: leftAlone },
      }),
    };
  } finally {
    course.tape.dispose();
    decoder?.dispose();
  }
}

/** A training without a shield that has ended, with its best weights in the model. */
export type BegunTraining = Pick<LocalFit, 'epochs' | 'bestEpoch' | 'validationAccuracy' | 'trainLoss'>;

function partOf({ epochs, best }: { epochs: number; best: BestEpoch }): BegunTraining {
  return { epochs, bestEpoch: best.epoch, validationAccuracy: best.accuracy, trainLoss: best.trainLoss };
}

/** What the parts of one training share. */
interface Course {
  engine: Engine;
  model: LocalModel;
  owners: readonly LocalTrainingData[];
  config: LocalTrainingConfig;
  decoder: WindowDecoder | undefined;
  learned: readonly Tensor[];
  tape: Tape;
}

/**
 * Trains from the weights there are, with an optimizer of its own, until more than `patience` epochs in a row fall short of
 * this part's best one, whose weights it leaves. `before`: epochs that came before this part.
 */
function* trainPart(
  { engine, model, owners, config, decoder, learned, tape }: Course,
  before: number,
  shield: Shield | undefined,
): Generator<number, { epochs: number; best: BestEpoch }> {
  const optimizer = new Adam(engine, learned, { learningRate: config.learningRate });
  const shuffle = new RandomStream(config.seed, SHUFFLE_STREAM);
  const blur = new RandomStream(config.seed, SHIELD_STREAM);
  // What comes before a shield is compared by loss, as what comes under it is.
  const byLoss = config.bestBy === 'loss' || config.shield !== undefined;
  let best: BestEpoch = {
    epoch: before,
    score: Number.NEGATIVE_INFINITY,
    accuracy: -1,
    weights: snapshot(learned),
    trainLoss: Number.NaN,
  };
  let epoch = before;
  try {
    while (epoch - before < config.epochs && epoch - best.epoch <= config.patience) {
      epoch++;
      let total = 0;
      let seen = 0;
      for (const data of owners) {
        const order = shuffle.permutation(data.train.length);
        for (let start = 0; start < order.length; start += config.batch) {
          const rows = order.subarray(start, start + config.batch).map((i) => data.train[i]);
          tape.reset();
          const windows = gatherRows(tape, data.windows, rows);
          const embedding = model.embed(tape, windows);
          const logits = model.classify(tape, shield ? shield.seen(tape, embedding, blur) : embedding);
          const labelLoss = softmaxCrossEntropy(tape, logits, labelsOf(data.labels, rows));
          const taught = decoder
            ? add(tape, labelLoss, decoder.error(tape, embedding, windows), config.reconstructionWeight ?? 1)
            : labelLoss;
          const loss = shield ? shield.against(tape, taught, embedding, windows) : taught;
          total += loss.item() * rows.length;
          tape.backward(loss);
          optimizer.step();
        }
        seen += order.length;
      }
      const judged = owners.map((data) => validate(engine, model, data));
      const mean = (of: keyof Judged) => judged.reduce((sum, each) => sum + each[of], 0) / owners.length;
      const accuracy = mean('accuracy');
      const unshielded = byLoss ? -mean('loss') : accuracy;
      const score = shield ? -judgeShield(engine, model, shield, owners, config.seed).loss : unshielded;
      // Weights under which the loss is not finite are no model.
      if (Number.isFinite(total) && score >= best.score)
        best = { epoch, score, accuracy, weights: snapshot(learned), trainLoss: total / seen };
      yield epoch;
    }
    if (epoch > before && best.score === Number.NEGATIVE_INFINITY) throw diverged(owners, config, shield);
    restore(learned, best.weights);
    return { epochs: epoch, best };
  } finally {
    optimizer.dispose();
  }
}

function diverged(
  owners: readonly LocalTrainingData[],
  { learningRate, shield }: LocalTrainingConfig,
  under: Shield | undefined,
): F3Error {
  const whose = owners.length === 1 && owners[0].owner !== undefined ? `owner ${owners[0].owner}: ` : '';
  const found = `none${under ? ' under the shield' : ''}`;
  const less = under && shield ? `a shield below ${shield.weight}` : `a learning rate below ${learningRate}`;
  return new F3Error(
    'F3_FUSE_DIVERGED',
    `${whose}local training: an epoch must have a finite loss, got ${found}; try ${less}`,
  );
}

interface BestEpoch {
  epoch: number;
  /** What the epochs are compared by. */
  score: number;
  accuracy: number;
  weights: Float32Array[];
  trainLoss: number;
}

function makeDecoder(
  engine: Engine,
  { width }: LocalModel,
  windows: Tensor,
  { objective = 'label', seed }: LocalTrainingConfig,
): WindowDecoder | undefined {
  return objective === 'label' ? undefined : new WindowDecoder(engine, width, windows.size / windows.shape[0], seed);
}

/** The decoder's squared error on the validation parts, their mean. */
function meanError(
  engine: Engine,
  model: LocalModel,
  decoder: WindowDecoder,
  owners: readonly LocalTrainingData[],
): number {
  const tape = engine.inferenceTape();
  let sum = 0;
  for (const { windows, validation } of owners) {
    tape.reset();
    const batch = gatherRows(tape, windows, validation);
    sum += decoder.error(tape, model.embed(tape, batch), batch).item();
  }
  tape.dispose();
  return sum / owners.length;
}

interface Judged {
  /** Share of the validation windows whose class the model names. */
  accuracy: number;
  /** Their mean cross-entropy. */
  loss: number;
}

function validate(engine: Engine, model: LocalModel, { windows, labels, validation }: LocalTrainingData): Judged {
  const { classes, logits } = predictLocal(engine, model, windows, validation);
  const truth = labelsOf(labels, validation);
  const accuracy = classes.filter((label, i) => label === truth[i]).length / validation.length;
  const loss = labelLosses(logits, truth).reduce((sum, each) => sum + each, 0) / validation.length;
  return { accuracy, loss };
}

export interface LocalPrediction {
  /** [row, d] */
  embeddings: Float32Array;
  /** [row, class] */
  logits: Float32Array;
  /** [row] most likely class */
  classes: Int32Array;
}

const PREDICTION_BATCH = 512;

/** Embeddings and predictions of the given rows of windows: [sample, time, variate]. */
export function predictLocal(engine: Engine, model: LocalModel, windows: Tensor, rows: Uint32Array): LocalPrediction {
  const tape = engine.inferenceTape();
  const embeddings = new Float32Array(rows.length * model.width);
  let logits = new Float32Array(0);
  for (let start = 0; start < rows.length; start += PREDICTION_BATCH) {
    tape.reset();
    const embedding = model.embed(tape, gatherRows(tape, windows, rows.subarray(start, start + PREDICTION_BATCH)));
    const scores = model.classify(tape, embedding);
    if (start === 0) logits = new Float32Array(rows.length * scores.shape[1]);
    embeddings.set(embedding.data, start * model.width);
    logits.set(scores.data, start * scores.shape[1]);
  }
  tape.dispose();
  const count = logits.length / Math.max(1, rows.length);
  const classes = Int32Array.from(rows, (_, r) => indexOfMax(logits.subarray(r * count, (r + 1) * count)));
  return { embeddings, logits, classes };
}

function labelsOf(labels: Int32Array, rows: Uint32Array): Int32Array {
  return Int32Array.from(rows, (row) => labels[row]);
}

function snapshot(tensors: readonly Tensor[]): Float32Array[] {
  return tensors.map((tensor) => tensor.data.slice());
}

function restore(tensors: readonly Tensor[], weights: readonly Float32Array[]): void {
  tensors.forEach((tensor, i) => {
    tensor.data.set(weights[i]);
  });
}
