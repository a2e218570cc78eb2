import { afterAll, describe, expect, it } from 'vitest';
import { Engine } from '../../core/engine/engine.ts';
import { RandomStream } from '../../core/random.ts';
import { softmaxRows } from '../../core/softmax-rows.ts';
import { BoostedTrees } from './boosted-trees.ts';
import { BOOSTING_DEFAULTS, type BoostingSamples, trainBoosting } from './train-boosting.ts';

const FEATURES = 6;

/** Class 1 where exactly one of the first two features is positive: no single feature tells anything. */
function exclusiveOr(samples: number, seed: number, missing = 0): BoostingSamples {
  const random = new RandomStream(seed, 0);
  const values = Float32Array.from({ length: samples * FEATURES }, () => random.normal());
  const labels = Int32Array.from({ length: samples }, (_, s) => {
    const isOne = values[s * FEATURES] > 0 !== values[s * FEATURES + 1] > 0;
    return isOne !== random.uniform() < 0.05 ? 1 : 0;
  });
  const gaps = values.map((value) => (random.uniform() < missing ? Number.NaN : value));
  return { values: gaps, labels };
}

const share = (trees: BoostedTrees, { values, labels }: BoostingSamples) => {
  const probabilities = softmaxRows(trees.logits(values), 2);
  return (
    labels.reduce((right, label, s) => right + (probabilities[2 * s + 1] > 0.5 === (label === 1) ? 1 : 0), 0) /
    labels.length
  );
};

describe('boosting', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());
  const data = { features: FEATURES, classes: 2, train: exclusiveOr(600, 1), validation: exclusiveOr(200, 2) };
  const test = exclusiveOr(400, 3);

  it('learns what no feature says alone', async () => {
    const { trees } = await trainBoosting(engine, data, BOOSTING_DEFAULTS);
    expect(share(trees, test)).toBeGreaterThan(0.85);
  });

  it('stops when validation gets no better and keeps the iterations up to the best', async () => {
    const options = { ...BOOSTING_DEFAULTS, learningRate: 0.5, patience: 4 };
    const { trees, epochs, bestEpoch, validationLoss, history } = await trainBoosting(engine, data, options);
    const losses = history.map((report) => report.validationLoss);
    expect(epochs).toBeLessThan(options.iterations);
    expect(epochs - bestEpoch).toBe(4);
    expect(validationLoss).toBe(Math.min(...losses));
    expect(trees.iterations).toBe(bestEpoch);
    expect(history[epochs - 1].trainLoss).toBeLessThan(history[0].trainLoss);
  });

  it('gives the same trees on three threads, and other trees for another seed where features are drawn', async () => {
    const three = new Engine({ threads: 3 });
    const options = { ...BOOSTING_DEFAULTS, iterations: 12, featureShare: 0.5, seed: 1 };
    const one = await trainBoosting(engine, data, options);
    const other = await trainBoosting(three, data, options);
    expect(other.trees.tensors()).toEqual(one.trees.tensors());
    const another = await trainBoosting(engine, data, { ...options, seed: 2 });
    expect(another.trees.tensors()).not.toEqual(one.trees.tensors());
    await three.dispose();
  });

  it('learns which side missing values belong to', async () => {
    // A value is missing exactly where the class is 1.
    const { values, labels } = exclusiveOr(300, 4);
    const gone = values.map((value, at) => (labels[Math.floor(at / FEATURES)] === 1 ? Number.NaN : value));
    const train = { values: gone, labels };
    const { trees } = await trainBoosting(engine, { features: FEATURES, classes: 2, train }, BOOSTING_DEFAULTS);
    expect(share(trees, train)).toBe(1);
    const [, nothing] = softmaxRows(trees.logits(new Float32Array(FEATURES).fill(Number.NaN)), 2);
    expect(nothing).toBeGreaterThan(0.95);
  });

  it('holds with most owners absent once it has learned from absence, and breaks otherwise', async () => {
    // Six owners of two numbers each: every owner sees the class with noise of its own.
    const [owners, width] = [6, 2];
    const samples = (count: number, seed: number, absent = 0): BoostingSamples => {
      const random = new RandomStream(seed, 0);
      const labels = Int32Array.from({ length: count }, () => (random.uniform() < 0.3 ? 1 : 0));
      const values = Float32Array.from({ length: count * owners * width }, (_, at) => {
        const label = labels[Math.floor(at / (owners * width))];
        return label + 0.6 * random.normal();
      });
      for (let at = 0; at < values.length; at += width) {
        if (random.uniform() < absent) values.fill(Number.NaN, at, at + width);
      }
      return { values, labels };
    };
    const federation = {
      features: owners * width,
      classes: 2,
      train: samples(600, 1),
      validation: samples(200, 2),
    };
    const plain = await trainBoosting(engine, federation, BOOSTING_DEFAULTS);
    const options = { ...BOOSTING_DEFAULTS, dropout: 0.5, group: width, seed: 3 };
    const hardened = await trainBoosting(engine, federation, options);
    const [everybody, few] = [samples(600, 4), samples(600, 5, 0.7)];
    expect(share(hardened.trees, few)).toBeGreaterThan(share(plain.trees, few) + 0.03);
    expect(share(hardened.trees, everybody)).toBeGreaterThan(0.95);
    const three = new Engine({ threads: 3 });
    const again = await trainBoosting(three, federation, options);
    expect(again.trees.tensors()).toEqual(hardened.trees.tensors());
    await three.dispose();
  });

  it('sends a value that was never missing in training to the side of more samples', async () => {
    const train = {
      values: Float32Array.from({ length: 200 }, (_, s) => s),
      labels: Int32Array.from({ length: 200 }, (_, s) => (s < 140 ? 0 : 1)),
    };
    const { trees } = await trainBoosting(
      engine,
      { features: 1, classes: 2, train },
      { ...BOOSTING_DEFAULTS, leaves: 2 },
    );
    const [missing, few] = [Float32Array.of(Number.NaN), Float32Array.of(0)].map((value) => trees.logits(value));
    expect(missing).toEqual(few);
  });

  it('stands between classes that it has never seen and those it has', async () => {
    const train = { ...data.train, labels: data.train.labels.map((label) => 2 * label) };
    const { trees } = await trainBoosting(
      engine,
      { ...data, classes: 3, train },
      { ...BOOSTING_DEFAULTS, iterations: 3 },
    );
    const probabilities = softmaxRows(trees.logits(test.values), 3);
    expect(probabilities.every(Number.isFinite)).toBe(true);
    expect(probabilities[1]).toBeLessThan(1e-6);
  });

  it('comes back from its tensors to the same bits', async () => {
    const { trees } = await trainBoosting(engine, data, { ...BOOSTING_DEFAULTS, iterations: 5 });
    const tensors = trees.tensors();
    const restored = BoostedTrees.from(tensors, 2, FEATURES);
    expect(restored.logits(test.values)).toEqual(trees.logits(test.values));
  });

  it('can be stopped from outside', async () => {
    const stop = new AbortController();
    const onEpoch = ({ epoch }: { epoch: number }) => epoch === 3 && stop.abort();
    const { epochs } = await trainBoosting(engine, data, BOOSTING_DEFAULTS, { signal: stop.signal, onEpoch });
    expect(epochs).toBe(3);
  });
});
