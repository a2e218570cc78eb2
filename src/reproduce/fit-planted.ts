// Fits one model to planted embeddings and compares what it learned with the truth behind them.
import type { Engine } from '../core/engine/engine.ts';
import type { Tensor } from '../core/engine/tensor.ts';
import { MARGIN } from '../core/ops/edge-quantiles.ts';
import { RandomStream } from '../core/random.ts';
import { softmaxRows } from '../core/softmax-rows.ts';
import { APART, type Planted, plantedClasses, TOGETHER } from '../data/simulate/planted.ts';
import type { FusionConfig } from '../fuse/fusion-config.ts';
import { GlobalModel } from '../fuse/model/global-model.ts';
import { predictLogits } from '../fuse/model/predict-logits.ts';
import { edgeRecovery, permutationRecovery } from '../fuse/scores/recovery.ts';
import { predictedClasses, rocAuc } from '../fuse/scores/scores.ts';
import { type FusionData, type TrainingOptions, trainFusion } from '../fuse/training/train-fusion.ts';

export interface PlantedFit {
  /** Accuracy over all classes, on the test part. */
  accuracy: number;
  /** ROC AUC of together against apart, on the test part's samples of these two classes. */
  auc: number;
  /** How well edge probabilities tell linked pairs from others (ROC AUC), where a graph is learned. */
  edges?: number | undefined;
  /** Share of pairs on the wrong side of the clamp, where θ has no gradient: linked at 0 or not linked at 1. */
  frozenWrong?: number | undefined;
  /** Share of the permutations' entries that were found, where alignments are learned. */
  permutations?: number | undefined;
  validationLoss: number;
  epochs: number;
  bestEpoch: number;
  seconds: number;
}

export interface PlantedFitOptions {
  onEpoch?: TrainingOptions['onEpoch'] | undefined;
  /** Where every edge probability starts, instead of U(0, 1). */
  firstTheta?: number | undefined;
}

type LoadedPlanted = FusionData & { embeddings: Tensor };

const SPLIT_STREAM = 10;

/** The samples are split 70/10/20 by the config's seed. A given graph is the true one. */
export async function fitPlanted(
  engine: Engine,
  planted: Planted,
  config: FusionConfig,
  { onEpoch, firstTheta }: PlantedFitOptions = {},
): Promise<PlantedFit> {
  const { adjacency, permutations } = planted.truth;
  const [owners, width] = [permutations.length, permutations[0].length];
  const classes = plantedClasses(width).length;
  const data = loadPlanted(engine, planted, config.seed);
  const model = new GlobalModel(engine, config, { owners, width, classes, adjacency });
  const { theta } = model.parameters;
  if (firstTheta !== undefined) theta?.data.fill(firstTheta);
  const start = performance.now();
  const { epochs, bestEpoch, validationLoss } = await trainFusion(engine, model, data, onEpoch ? { onEpoch } : {});
  const seconds = (performance.now() - start) / 1000;
  const logits = predictLogits(engine, model, data, data.split.test);
  const labels = Int32Array.from(data.split.test, (row) => data.labels[row]);
  const alignments = model.alignments();
  const fit: PlantedFit = {
    ...plantedScores(logits, labels, classes),
    edges: theta && edgeRecovery(theta.data, adjacency, owners),
    frozenWrong: theta && frozenWrong(theta.data, adjacency, owners),
    permutations: alignments && permutationRecovery(alignments, permutations),
    validationLoss,
    epochs,
    bestEpoch,
    seconds,
  };
  model.dispose();
  engine.free(data.embeddings);
  return fit;
}

function loadPlanted(engine: Engine, { embeddings, labels, truth }: Planted, seed: number): LoadedPlanted {
  const [samples, owners] = [labels.length, truth.permutations.length];
  const order = new RandomStream(seed, SPLIT_STREAM).permutation(samples);
  const [train, validation] = [Math.floor(samples * 0.7), Math.floor(samples * 0.8)];
  return {
    embeddings: engine.buffer([samples, owners, truth.permutations[0].length], embeddings),
    labels,
    split: {
      train: order.subarray(0, train),
      validation: order.subarray(train, validation),
      test: order.subarray(validation),
    },
  };
}

function frozenWrong(theta: Float32Array, adjacency: Uint8Array, owners: number): number {
  let wrong = 0;
  for (let i = 0; i < owners; i++) {
    for (let j = i + 1; j < owners; j++) {
      const at = i * owners + j;
      if (adjacency[at] === 1 ? theta[at] < MARGIN : theta[at] > 1 - MARGIN) wrong++;
    }
  }
  return wrong / ((owners * (owners - 1)) / 2);
}

function plantedScores(logits: Float32Array, labels: Int32Array, classes: number): { accuracy: number; auc: number } {
  const predicted = predictedClasses(softmaxRows(logits, classes), classes);
  const right = labels.filter((label, r) => label === predicted[r]).length;
  const either = Array.from(labels.keys()).filter((r) => labels[r] === APART || labels[r] === TOGETHER);
  const auc = rocAuc(
    either.map((r) => logits[r * classes + TOGETHER] - logits[r * classes + APART]),
    either.map((r) => (labels[r] === TOGETHER ? 1 : 0)),
  );
  return { accuracy: right / labels.length, auc };
}
