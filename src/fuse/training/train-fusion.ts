// [coordinator] Trains a fused model (Algorithm 1, lines 4–6): early stopping on the validation loss, the best epoch kept.
import { setImmediate } from 'node:timers/promises';
import type { Engine } from '../../core/engine/engine.ts';
import type { Tape } from '../../core/engine/tape.ts';
import type { Tensor } from '../../core/engine/tensor.ts';
import { add } from '../../core/ops/add.ts';
import { softmaxCrossEntropy } from '../../core/ops/softmax-cross-entropy.ts';
import { AveragedWeights } from '../../core/optimizer/averaged-weights.ts';
import { F3Error } from '../../errors.ts';
import type { FusionModel } from '../model/fusion-model.ts';
import { meanCrossEntropy, predictLogits } from '../model/predict-logits.ts';
import { dropOwners } from './drop-owners.ts';
import { fusionOptimizer } from './fusion-optimizer.ts';
import { type FusionEmbeddings, ownerBatch } from './owner-batch.ts';
import { rateFactor } from './rate-schedule.ts';
import { dropoutStream, epochOrder, TRAINING_STREAM } from './training-draws.ts';
import {
  copyWeights,
  type EpochReport,
  setWeights,
  type TrainingProgress,
  type TrainingState,
} from './training-state.ts';

/** What a model is trained on: embeddings, labels and a split. */
export interface FusionData extends FusionEmbeddings {
  /** [sample] */
  labels: Int32Array;
  /** Sample numbers of each part. */
  split: { train: Uint32Array; validation: Uint32Array; test: Uint32Array };
  /** Who the owners are, for a message that names one. */
  owners?: readonly { owner: string }[];
}

/** How to watch, steer and continue a training. */
export interface TrainingOptions {
  /** What may change; by default all of the model's parameters. */
  learned?: readonly Tensor[];
  /** Factor on the learning rate of a parameter; by default 1. */
  rateScale?: (parameter: Tensor) => number;
  /** Called between the derivatives and the update, e.g. to clear gradients of what is frozen. */
  beforeUpdate?: () => void;
  /** Called after the update, e.g. to put back what is frozen and has decayed. */
  afterUpdate?: () => void;
  onEpoch?: (report: EpochReport) => void;
  /** Called after every step, with what continues training to the same bits. */
  onStep?: (state: () => TrainingState) => void;
  /** Called when training is over or was stopped, before the best weights are put back. */
  onEnd?: (state: TrainingState) => void;
  /** Asked after every epoch: ends training where it says so; what was best so far is kept. */
  giveUp?: ((progress: TrainingProgress) => boolean) | undefined;
  /** Where an interrupted training goes on. */
  resume?: TrainingState | undefined;
  /** Ends training at the next step; what was best so far is kept. */
  signal?: AbortSignal | undefined;
}

/** How a training went. */
export interface Training {
  epochs: number;
  bestEpoch: number;
  validationLoss: number;
  history: EpochReport[];
}

/** Rows of the training part, the first ones, from which a model fixes what its predictions share. */
const FREEZING_ROWS = 1024;

/** Trains `model` in place and leaves it with the weights of its best epoch. Yields to the event loop after every step. */
export async function trainFusion(
  engine: Engine,
  model: FusionModel,
  data: FusionData,
  options: TrainingOptions = {},
): Promise<Training> {
  const { config } = model;
  const { learned = Object.values(model.parameters), rateScale, onEpoch, onStep, giveUp, resume, signal } = options;
  const { learningRate, averageWeights } = config;
  const optimizer = fusionOptimizer(engine, model, learned, rateScale);
  const averaged = averageWeights > 0 ? new AveragedWeights(engine, learned, averageWeights) : undefined;
  const tape = engine.tape();
  const state: TrainingState = resume
    ? { ...resume }
    : {
        epoch: 1,
        batch: 0,
        step: 0,
        lossSum: 0,
        best: { epoch: 0, loss: Number.POSITIVE_INFINITY },
        history: [],
        weights: {},
        bestWeights: copyWeights(model),
        optimizer: optimizer.state(),
      };
  if (resume) {
    setWeights(model, resume.weights);
    optimizer.restore(resume.optimizer);
    if (resume.averaged) averaged?.restore(resume.averaged);
  }
  const snapshot = (): TrainingState => {
    const now = { ...state, weights: copyWeights(model), optimizer: optimizer.state() };
    return averaged ? { ...now, averaged: averaged.state() } : now;
  };
  const stepsPerEpoch = Math.ceil(data.split.train.length / config.batch);
  const validationLabels = labelsOf(data, data.split.validation);
  const isOver = () => {
    const ended = state.epoch - 1;
    if (ended >= config.epochs || ended - state.best.epoch >= config.patience) return true;
    return ended > 0 && (giveUp?.({ epoch: ended, best: state.best }) ?? false);
  };
  try {
    while (!isOver() && !signal?.aborted) {
      const order = epochOrder(data.split.train, config.seed, state.epoch);
      while (state.batch * config.batch < order.length && !signal?.aborted) {
        const rows = order.subarray(state.batch * config.batch, (state.batch + 1) * config.batch);
        state.lossSum += rows.length * trainingStep(tape, model, data, rows, state.step, options.beforeUpdate);
        optimizer.learningRate = learningRate * rateFactor(config, state.step, stepsPerEpoch);
        optimizer.step();
        model.afterUpdate?.();
        options.afterUpdate?.();
        averaged?.update();
        state.batch++;
        state.step++;
        onStep?.(snapshot);
        await setImmediate();
      }
      if (signal?.aborted) break;
      const validate = () => {
        freezeModel(engine, model, data);
        const logits = predictLogits(engine, model, data, data.split.validation);
        const loss = meanCrossEntropy(logits, validationLabels);
        if (loss < state.best.loss) {
          state.best = { epoch: state.epoch, loss };
          state.bestWeights = copyWeights(model);
        }
        return loss;
      };
      const validationLoss = averaged ? averaged.with(validate) : validate();
      const report = { epoch: state.epoch, trainLoss: state.lossSum / order.length, validationLoss };
      if (!Number.isFinite(validationLoss)) throw diverged(report, learningRate, data);
      state.history = [...state.history, report];
      state.epoch++;
      Object.assign(state, { batch: 0, lossSum: 0 });
      onEpoch?.({ ...report, bestEpoch: state.best.epoch });
    }
    options.onEnd?.(snapshot());
  } finally {
    tape.dispose();
    optimizer.dispose();
    averaged?.dispose();
  }
  setWeights(model, state.bestWeights);
  freezeModel(engine, model, data);
  const { best, history } = state;
  return { epochs: history.length, bestEpoch: best.epoch, validationLoss: best.loss, history };
}

function freezeModel(engine: Engine, model: FusionModel, data: FusionData): void {
  if (!model.freeze) return;
  const tape = engine.inferenceTape();
  model.freeze(ownerBatch(tape, data, data.split.train.subarray(0, FREEZING_ROWS)));
  tape.dispose();
}

/** Leaves the gradients of the mean loss over `rows` with the parameters and returns the cross-entropy. */
function trainingStep(
  tape: Tape,
  model: FusionModel,
  data: FusionData,
  rows: Uint32Array,
  step: number,
  beforeUpdate: (() => void) | undefined,
): number {
  const { seed, ownerDropout, entropyWeight } = model.config;
  tape.reset();
  const seen = ownerBatch(tape, data, rows);
  const batch = ownerDropout > 0 ? dropOwners(tape, seen, ownerDropout, seed, dropoutStream(step)) : seen;
  const { logits, penalty } = model.forward(tape, batch, { seed, step, stream: TRAINING_STREAM });
  const entropy = softmaxCrossEntropy(tape, logits, labelsOf(data, rows));
  tape.backward(penalty ? add(tape, entropy, penalty, entropyWeight) : entropy);
  beforeUpdate?.();
  return entropy.item();
}

function labelsOf(data: FusionData, rows: Uint32Array): Int32Array {
  return Int32Array.from(rows, (row) => data.labels[row]);
}

/** Embeddings are of the size of 1. Numbers above this may overflow under any learning rate. */
const LARGE = 1e6;

function diverged({ epoch, validationLoss }: EpochReport, learningRate: number, data: FusionData): F3Error {
  const rule = `the validation loss must stay finite, got ${validationLoss} in epoch ${epoch}`;
  const large = largeEmbeddings(data);
  return new F3Error('F3_FUSE_DIVERGED', `training: ${rule}; ${large ?? `try a learning rate below ${learningRate}`}`);
}

/** Says whose embeddings are too large to be learned from, if somebody's are. */
function largeEmbeddings({ embeddings, owners }: FusionData): string | undefined {
  if (typeof embeddings === 'function') return undefined;
  const { data, shape } = embeddings;
  let at = 0;
  for (let i = 1; i < data.length; i++) if (Math.abs(data[i]) > Math.abs(data[at])) at = i;
  if (Math.abs(data[at]) <= LARGE) return undefined;
  const slot = Math.floor(at / shape[2]) % shape[1];
  const whose = owners?.[slot]?.owner ?? `owner number ${slot + 1}`;
  const found = Number(data[at].toPrecision(3));
  return `the embeddings of ${whose} hold ${found}, where numbers of the size of 1 are expected`;
}
