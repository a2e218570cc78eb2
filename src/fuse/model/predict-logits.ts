// [coordinator] Class logits of many samples: averaged over S sampled graphs (Section 5), or of the mean graph in one pass.
import type { Engine } from '../../core/engine/engine.ts';
import type { FusionConfig } from '../fusion-config.ts';
import { type FusionEmbeddings, ownerBatch } from '../training/owner-batch.ts';
import type { FusionModel, Graphs } from './fusion-model.ts';

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
  data: FusionEmbeddings,
  rows: Uint32Array,
  graphs: PredictionGraphs = model.config.predictionGraphs,
): Float32Array {
  const { graph, batch: trainingBatch } = model.config;
  const { classes } = model.shape;
  const draws = predictionDraws(model.config, graphs);
  const batch = graph === 'knn' ? trainingBatch : BATCH;
  const mean = new Float32Array(rows.length * classes);
  // All graphs see the same embeddings, which may be costly to make: they outlive a graph's pass.
  const [inputs, tape] = [engine.inferenceTape(), engine.inferenceTape()];
  for (let start = 0; start < rows.length; start += batch) {
    inputs.reset();
    const chosen = ownerBatch(inputs, data, rows.subarray(start, start + batch));
    for (const draw of draws) {
      tape.reset();
      const values = model.forward(tape, chosen, draw).logits.data;
      for (let i = 0; i < values.length; i++) mean[start * classes + i] += values[i] / draws.length;
    }
  }
  inputs.dispose();
  tape.dispose();
  return mean;
}

/** The graphs that are averaged over: S of a learned graph, one of any other. */
export function predictionDraws({ method, graph, seed }: FusionConfig, graphs: PredictionGraphs): Graphs[] {
  const isSampled = method === 'consensus' && (graph === 'icdf' || graph === 'gumbel');
  if (!isSampled || graphs === 'mean') return ['mean'];
  return Array.from({ length: graphs }, (_, step) => ({
    seed,
    step,
    stream: PREDICTION_STREAM,
    per: 'batch' as const,
  }));
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
