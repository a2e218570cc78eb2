// [coordinator] Class logits of many samples: averaged over S sampled graphs (Section 5), or of the mean graph in one pass.
import type { Engine } from '../core/engine.ts';
import { gatherRows } from '../core/ops/gather-rows.ts';
import type { Tensor } from '../core/tensor.ts';
import type { FusionModel } from './fusion-model.ts';

/** The owners' embeddings of all samples, in the engine's memory. */
export interface OwnerData {
  /** [sample, owner, d], zero where the owner did not see the sample */
  embeddings: Tensor;
  /** [sample, owner], 1 where it did; without it every owner saw every sample */
  present?: Tensor;
}

/** How many graphs are sampled, or the mean graph. */
export type PredictionGraphs = number | 'mean';

/** Edge noise of prediction, apart from training's: Gumbel uses two streams each. */
const PREDICTION_STREAM = 2;
/** Samples at a time; the answer does not depend on it but for κ-NN, whose graph is the batch's own. */
const BATCH = 256;

/** `rows` of `data` → [row, class]. All samples see the same graphs, so that an answer does not depend on its company. */
export function predictLogits(
  engine: Engine,
  model: FusionModel,
  data: OwnerData,
  rows: Uint32Array,
  graphs: PredictionGraphs = model.config.predictionGraphs,
): Float32Array {
  const { seed, graph, batch: trainingBatch, method } = model.config;
  const { classes } = model.shape;
  const isSampled = method === 'consensus' && (graph === 'icdf' || graph === 'gumbel') && graphs !== 'mean';
  const draws = isSampled ? graphs : 1;
  const batch = graph === 'knn' ? trainingBatch : BATCH;
  const mean = new Float32Array(rows.length * classes);
  const tape = engine.inferenceTape();
  for (let draw = 0; draw < draws; draw++) {
    const drawn = isSampled ? ({ seed, step: draw, stream: PREDICTION_STREAM, per: 'batch' } as const) : 'mean';
    for (let start = 0; start < rows.length; start += batch) {
      tape.reset();
      const chosen = rows.subarray(start, start + batch);
      const present = data.present && gatherRows(tape, data.present, chosen);
      const { logits } = model.forward(tape, { embeddings: gatherRows(tape, data.embeddings, chosen), present }, drawn);
      const values = logits.data;
      for (let i = 0; i < values.length; i++) mean[start * classes + i] += values[i] / draws;
    }
  }
  tape.dispose();
  return mean;
}

/** logits: [row, class] → probabilities [row, class] */
export function softmaxRows(logits: Float32Array, classes: number): Float64Array {
  const probabilities = new Float64Array(logits.length);
  for (let start = 0; start < logits.length; start += classes) {
    const row = logits.subarray(start, start + classes);
    const max = row.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
    const total = row.reduce((sum, value) => sum + Math.exp(value - max), 0);
    row.forEach((value, c) => {
      probabilities[start + c] = Math.exp(value - max) / total;
    });
  }
  return probabilities;
}

/** logits: [row, class], labels: [row] → mean cross-entropy */
export function meanCrossEntropy(logits: Float32Array, labels: ArrayLike<number>): number {
  const classes = logits.length / labels.length;
  let sum = 0;
  for (let r = 0; r < labels.length; r++) {
    const row = logits.subarray(r * classes, (r + 1) * classes);
    const max = row.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
    sum += max + Math.log(row.reduce((total, value) => total + Math.exp(value - max), 0)) - row[labels[r]];
  }
  return sum / labels.length;
}
