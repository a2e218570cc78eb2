// [coordinator] Trains a global model (Algorithm 1, lines 4–6) with early stopping on the validation loss.
import type { Engine } from '../core/engine.ts';
import { add } from '../core/ops/add.ts';
import { gatherRows } from '../core/ops/gather-rows.ts';
import { softmaxCrossEntropy } from '../core/ops/softmax-cross-entropy.ts';
import { Adam } from '../core/optimizer.ts';
import { RandomStream } from '../core/random.ts';
import type { Tensor } from '../core/tensor.ts';
import type { FusionConfig } from './fusion-config.ts';
import { type FusionShape, GlobalModel } from './global-model.ts';

export interface FusionData {
  /** [sample, owner, d] in the engine's memory */
  embeddings: Tensor;
  /** [sample] */
  labels: Int32Array;
  /** Sample numbers of each part. */
  split: { train: Uint32Array; validation: Uint32Array; test: Uint32Array };
}

export interface EpochReport {
  epoch: number;
  trainLoss: number;
  validationLoss: number;
  bestEpoch: number;
}

export interface Fitted {
  model: GlobalModel;
  epochs: number;
  bestEpoch: number;
  validationLoss: number;
}

/** Streams of edge noise: training graphs and prediction graphs never share a number. Gumbel uses two each. */
const EDGE_STREAMS = { training: 0, prediction: 2 } as const;
const SHUFFLE_STREAM = 100;

/** The model with the weights of its best epoch. `onEpoch` may return false to stop. */
export function trainFusion(
  engine: Engine,
  data: FusionData,
  config: FusionConfig,
  shape: FusionShape,
  onEpoch: (report: EpochReport) => boolean | undefined = () => undefined,
): Fitted {
  const model = new GlobalModel(engine, config, shape);
  const optimizer = new Adam(engine, model.parameterList, { learningRate: config.learningRate });
  const shuffle = new RandomStream(config.seed, SHUFFLE_STREAM);
  const tape = engine.tape();
  let best = { epoch: 0, loss: Number.POSITIVE_INFINITY, weights: snapshot(model) };
  let epoch = 0;
  let step = 0;
  for (epoch = 1; epoch <= config.epochs; epoch++) {
    const order = shuffle.permutation(data.split.train.length).map((i) => data.split.train[i]);
    let total = 0;
    for (let start = 0; start < order.length; start += config.batch) {
      const rows = order.subarray(start, start + config.batch);
      tape.reset();
      const draw = { seed: config.seed, step: step++, stream: EDGE_STREAMS.training };
      const { logits, penalty } = model.forward(tape, gatherRows(tape, data.embeddings, rows), draw);
      const entropy = softmaxCrossEntropy(tape, logits, labelsOf(data, rows));
      total += entropy.item() * rows.length;
      tape.backward(penalty ? add(tape, entropy, penalty, config.entropyWeight) : entropy);
      optimizer.step();
    }
    const validationLoss = meanLoss(predictLogits(engine, model, data.embeddings, data.split.validation), data);
    if (validationLoss < best.loss) best = { epoch, loss: validationLoss, weights: snapshot(model) };
    const report = { epoch, trainLoss: total / order.length, validationLoss, bestEpoch: best.epoch };
    if (onEpoch(report) === false || epoch - best.epoch >= config.patience) break;
  }
  restore(model, best.weights);
  tape.dispose();
  optimizer.dispose();
  return { model, epochs: Math.min(epoch, config.epochs), bestEpoch: best.epoch, validationLoss: best.loss };
}

/** logits averaged over S sampled graphs: rows [k] → [k, classes], in batches */
export function predictLogits(
  engine: Engine,
  model: GlobalModel,
  embeddings: Tensor,
  rows: Uint32Array,
): LabelledLogits {
  const { batch, seed, graph, predictionGraphs } = model.config;
  const { classes } = model.shape;
  const draws = graph === 'icdf' || graph === 'gumbel' ? predictionGraphs : 1;
  const sum = new Float32Array(rows.length * classes);
  const tape = engine.inferenceTape();
  for (let start = 0, block = 0; start < rows.length; start += batch, block++) {
    for (let s = 0; s < draws; s++) {
      tape.reset();
      const batchRows = gatherRows(tape, embeddings, rows.subarray(start, start + batch));
      const draw = { seed, step: block * draws + s, stream: EDGE_STREAMS.prediction };
      const { logits } = model.forward(tape, batchRows, draw);
      logits.data.forEach((value, i) => {
        sum[start * classes + i] += value / draws;
      });
    }
  }
  tape.dispose();
  return { rows, classes, logits: sum };
}

export interface LabelledLogits {
  rows: Uint32Array;
  classes: number;
  /** [row, class] */
  logits: Float32Array;
}

/** [row] probability of `label` */
export function probabilityOf(label: number, { logits, classes, rows }: LabelledLogits): Float64Array {
  return Float64Array.from(rows, (_, r) =>
    Math.exp(logProbability(logits.subarray(r * classes, (r + 1) * classes), label)),
  );
}

function meanLoss(predicted: LabelledLogits, data: FusionData): number {
  const { rows, logits, classes } = predicted;
  let sum = 0;
  rows.forEach((row, r) => {
    sum -= logProbability(logits.subarray(r * classes, (r + 1) * classes), data.labels[row]);
  });
  return sum / rows.length;
}

function logProbability(logits: Float32Array, label: number): number {
  const max = logits.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const total = logits.reduce((sum, value) => sum + Math.exp(value - max), 0);
  return logits[label] - max - Math.log(total);
}

function labelsOf(data: FusionData, rows: Uint32Array): Int32Array {
  return Int32Array.from(rows, (row) => data.labels[row]);
}

function snapshot(model: GlobalModel): Float32Array[] {
  return model.parameterList.map((tensor) => tensor.data.slice());
}

function restore(model: GlobalModel, weights: Float32Array[]): void {
  model.parameterList.forEach((tensor, i) => {
    tensor.data.set(weights[i]);
  });
}
