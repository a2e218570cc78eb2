// [coordinator] Histogram gradient boosting (Friedman 2001; LightGBM's growth, scikit-learn's defaults): logistic and softmax loss.
import { setImmediate } from 'node:timers/promises';
import type { Engine } from '../../core/engine/engine.ts';
import { RandomStream } from '../../core/random.ts';
import type { EpochReport } from '../training/training-state.ts';
import { binFeatures } from './binning.ts';
import { BoostedTrees, walkTree } from './boosted-trees.ts';
import { growTree } from './grow-tree.ts';
import { binsWithCopies, MaskedCopies } from './masked-copies.ts';
import { SplitFinder } from './split-finder.ts';

/** Samples as rows of features. */
export interface BoostingSamples {
  /** [sample, feature], NaN where missing */
  values: Float32Array;
  /** [sample] */
  labels: Int32Array;
}

/** What boosted trees learn from. */
export interface BoostingData {
  features: number;
  classes: number;
  train: BoostingSamples;
  /** Says when to stop; without it all iterations are made. */
  validation?: BoostingSamples | undefined;
}

/** How boosted trees are grown. */
export interface BoostingOptions {
  learningRate: number;
  /** Most iterations: each adds a tree, or one per class where there are more than two. */
  iterations: number;
  /** Iterations without a lower validation loss before training stops. */
  patience: number;
  leaves: number;
  leastSamples: number;
  l2: number;
  /** Share of the features that a tree may look at, drawn by the seed. */
  featureShare: number;
  /** Above 0 every sample is learned from twice: whole, and with this share of the groups of features missing, on average. */
  dropout: number;
  /** Neighbouring features that are missing together under `dropout`. */
  group: number;
  seed: number;
}

/** scikit-learn's HistGradientBoostingClassifier. */
export const BOOSTING_DEFAULTS: BoostingOptions = {
  learningRate: 0.1,
  iterations: 100,
  patience: 10,
  leaves: 31,
  leastSamples: 20,
  l2: 0,
  featureShare: 1,
  dropout: 0,
  group: 1,
  seed: 0,
};

/** Trees that were learned, and how that went. */
export interface BoostingRun {
  trees: BoostedTrees;
  epochs: number;
  bestEpoch: number;
  validationLoss: number;
  history: EpochReport[];
}

/** How to watch or stop the growing of trees. */
export interface BoostingWatch {
  onEpoch?: ((report: EpochReport) => void) | undefined;
  /** Ends training after the iteration under way; what was best so far is kept. */
  signal?: AbortSignal | undefined;
}

const FEATURE_STREAMS = 0x626f_0000;
/** No class is impossible, even one that training never saw. */
const LEAST_SHARE = 2 ** -52;

/** Yields to the event loop after every iteration. The result depends on data, options and seed, not on threads. */
export async function trainBoosting(
  engine: Engine,
  data: BoostingData,
  options: BoostingOptions,
  { onEpoch, signal }: BoostingWatch = {},
): Promise<BoostingRun> {
  const { features, classes } = data;
  const outputs = classes === 2 ? 1 : classes;
  const copies = options.dropout > 0 ? new MaskedCopies(data.train.values, features, options) : undefined;
  const { train, validation } = copies ? withCopies(data, options) : data;
  const whole = binFeatures(data.train.values, features);
  const bins = copies ? binsWithCopies(whole) : whole;
  const finder = new SplitFinder(engine, bins, options);
  const baseline = firstLogits(train.labels, classes);
  const scores = repeated(baseline, train.labels.length);
  const seen = validation && { ...validation, scores: repeated(baseline, validation.labels.length) };
  const trees: Float32Array[] = [];
  const history: EpochReport[] = [];
  let best = { epoch: 0, loss: Number.POSITIVE_INFINITY };
  try {
    for (let epoch = 1; epoch <= options.iterations && !signal?.aborted; epoch++) {
      if (copies) {
        copies.draw(epoch, finder.binned);
        scoreCopies(copies.values, trees, baseline, scores.subarray(scores.length / 2));
      }
      const slopes = lossSlopes(scores, train.labels, outputs);
      for (let output = 0; output < outputs; output++) {
        finder.rows.forEach((_, i) => {
          finder.rows[i] = i;
        });
        finder.slopes.set(slopes[output]);
        const chosen = chosenFeatures(features, options, trees.length);
        const { nodes, leaves } = growTree(finder, bins, chosen, options);
        trees.push(nodes);
        for (const { start, count, value } of leaves) {
          for (const row of finder.rows.subarray(start, start + count)) scores[row * outputs + output] += value;
        }
        if (!seen) continue;
        for (let s = 0; s < seen.labels.length; s++) {
          seen.scores[s * outputs + output] += walkTree(nodes, 0, seen.values, s * features);
        }
      }
      const validationLoss = seen ? meanLoss(seen.scores, seen.labels, outputs) : Number.NaN;
      if (!seen || validationLoss < best.loss) best = { epoch, loss: validationLoss };
      const report = { epoch, trainLoss: meanLoss(scores, train.labels, outputs), validationLoss };
      history.push(report);
      onEpoch?.({ ...report, bestEpoch: best.epoch });
      if (epoch - best.epoch >= options.patience) break;
      await setImmediate();
    }
  } finally {
    finder.dispose();
  }
  const kept = trees.slice(0, best.epoch * outputs);
  return {
    trees: BoostedTrees.of(classes, features, Float32Array.from(baseline), kept),
    epochs: history.length,
    bestEpoch: best.epoch,
    validationLoss: best.loss,
    history,
  };
}

/** Labels for every sample and its copy; of validation, the copies too. The copies of training samples change with iterations. */
function withCopies(data: BoostingData, options: BoostingOptions): Pick<BoostingData, 'train' | 'validation'> {
  const { train, validation, features } = data;
  const twice = (labels: Int32Array) =>
    Int32Array.from({ length: 2 * labels.length }, (_, i) => labels[i % labels.length]);
  return {
    train: { values: train.values, labels: twice(train.labels) },
    validation: validation && {
      values: MaskedCopies.beside(validation.values, features, options),
      labels: twice(validation.labels),
    },
  };
}

/** What all trees so far say about copies that were just drawn. values: [copy, feature], scores: [copy, output] */
function scoreCopies(
  values: Float32Array,
  trees: readonly Float32Array[],
  baseline: Float64Array,
  scores: Float64Array,
): void {
  const outputs = baseline.length;
  const features = (values.length / scores.length) * outputs;
  for (let at = 0; at < scores.length; at++) {
    const output = at % outputs;
    const row = Math.floor(at / outputs) * features;
    let sum = baseline[output];
    for (let tree = output; tree < trees.length; tree += outputs) sum += walkTree(trees[tree], 0, values, row);
    scores[at] = sum;
  }
}

/** Log-odds of the second of two classes, or every class's log-share around their mean: what predicts best without features. */
function firstLogits(labels: Int32Array, classes: number): Float64Array {
  const shares = new Float64Array(classes);
  for (const label of labels) shares[label] += 1 / labels.length;
  const logs = shares.map((share) => Math.log(Math.min(1 - LEAST_SHARE, Math.max(LEAST_SHARE, share))));
  if (classes === 2) return Float64Array.of(logs[1] - logs[0]);
  const mean = logs.reduce((sum, log) => sum + log, 0) / classes;
  return logs.map((log) => log - mean);
}

function repeated(row: Float64Array, times: number): Float64Array {
  return Float64Array.from({ length: row.length * times }, (_, i) => row[i % row.length]);
}

/**
 * Per output, [sample, 2]: p − y and p(1 − p), the first two derivatives of the loss by the sample's logit. As float32
 * numbers, whose float64 sums are exact for all but huge nodes: equal splits are equal in any order of summation.
 */
function lossSlopes(scores: Float64Array, labels: Int32Array, outputs: number): Float64Array[] {
  const slopes = Array.from({ length: outputs }, () => new Float64Array(labels.length * 2));
  const shares = new Float64Array(outputs);
  for (let s = 0; s < labels.length; s++) {
    if (outputs === 1) {
      const odds = Math.exp(-scores[s]);
      slopes[0][2 * s] = Math.fround((labels[s] === 1 ? -odds : 1) / (1 + odds));
      slopes[0][2 * s + 1] = Math.fround(odds / (1 + odds) ** 2);
      continue;
    }
    fillShares(scores, s, shares);
    shares.forEach((p, output) => {
      slopes[output][2 * s] = Math.fround(p - (labels[s] === output ? 1 : 0));
      slopes[output][2 * s + 1] = Math.fround(p * (1 - p));
    });
  }
  return slopes;
}

/** Probabilities of every class for sample `s`. */
function fillShares(scores: Float64Array, s: number, shares: Float64Array): void {
  const outputs = shares.length;
  let [most, sum] = [Number.NEGATIVE_INFINITY, 0];
  for (let k = 0; k < outputs; k++) most = Math.max(most, scores[s * outputs + k]);
  for (let k = 0; k < outputs; k++) {
    shares[k] = Math.exp(scores[s * outputs + k] - most);
    sum += shares[k];
  }
  for (let k = 0; k < outputs; k++) shares[k] /= sum;
}

/** Mean cross-entropy. */
function meanLoss(scores: Float64Array, labels: Int32Array, outputs: number): number {
  let sum = 0;
  for (let s = 0; s < labels.length; s++) {
    if (outputs === 1) {
      const against = labels[s] === 1 ? -scores[s] : scores[s];
      sum += Math.max(against, 0) + Math.log1p(Math.exp(-Math.abs(against)));
      continue;
    }
    const row = scores.subarray(s * outputs, (s + 1) * outputs);
    const most = row.reduce((a, b) => Math.max(a, b));
    sum += most + Math.log(row.reduce((total, score) => total + Math.exp(score - most), 0)) - row[labels[s]];
  }
  return sum / labels.length;
}

function chosenFeatures(features: number, { featureShare, seed }: BoostingOptions, tree: number): Uint32Array {
  if (featureShare >= 1) return Uint32Array.from({ length: features }, (_, i) => i);
  const order = new RandomStream(seed, FEATURE_STREAMS + tree).permutation(features);
  return order.subarray(0, Math.max(1, Math.round(featureShare * features))).sort();
}
