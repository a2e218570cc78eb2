import { afterAll, describe, expect, it } from 'vitest';
import { expectClose } from '../../../test/support/check-op.ts';
import { Engine } from '../../core/engine/engine.ts';
import type { Tape } from '../../core/engine/tape.ts';
import type { Tensor } from '../../core/engine/tensor.ts';
import { gatherRows } from '../../core/ops/gather-rows.ts';
import { RandomStream } from '../../core/random.ts';
import * as reference from '../../core/reference/optimizer.ts';
import { softmaxRows } from '../../core/softmax-rows.ts';
import { type FusionConfig, paperPreset } from '../fusion-config.ts';
import { makeFusionModel } from '../model/make-fusion-model.ts';
import { predictLogits } from '../model/predict-logits.ts';
import { binaryScores } from '../scores/scores.ts';
import { type FusionData, trainFusion } from './train-fusion.ts';
import { copyWeights, decodeCheckpoint, encodeCheckpoint, type TrainingState } from './training-state.ts';

const engine = new Engine({ threads: 2 });
afterAll(() => engine.dispose());

const [OWNERS, WIDTH, SAMPLES] = [9, 5, 400];

/** Owner i shows the class in number i mod 5 of its embedding, under noise. */
function easyData(on: Engine): FusionData {
  const random = new RandomStream(4, 0);
  const labels = Int32Array.from({ length: SAMPLES }, () => random.integer(2));
  const embeddings = new Float32Array(SAMPLES * OWNERS * WIDTH);
  for (let i = 0; i < embeddings.length; i++) {
    const sample = Math.floor(i / (OWNERS * WIDTH));
    const owner = Math.floor(i / WIDTH) % OWNERS;
    const signal = i % WIDTH === owner % WIDTH ? 2 * labels[sample] - 1 : 0;
    embeddings[i] = signal + 0.7 * random.normal();
  }
  const rows = Uint32Array.from({ length: SAMPLES }, (_, i) => i);
  const split = { train: rows.subarray(0, 280), validation: rows.subarray(280, 320), test: rows.subarray(320) };
  return { embeddings: on.buffer([SAMPLES, OWNERS, WIDTH], embeddings), labels, split };
}

const adjacency = Float32Array.from({ length: OWNERS * OWNERS }, (_, at) => {
  const [i, j] = [Math.floor(at / OWNERS), at % OWNERS];
  return Math.abs(i - j) === 1 ? 0.5 : 0;
});
const shape = { owners: OWNERS, width: WIDTH, classes: 2, adjacency };
const quick: FusionConfig = { ...paperPreset, epochs: 25, neighbours: 3, hidden: 6 };

const variants: [string, Partial<FusionConfig>][] = [
  ['mean pooling', { alignment: 'none', graph: 'none' }],
  ['soft alignment', { alignment: 'soft', graph: 'none' }],
  ['hard alignment, square', { alignment: 'hard', graph: 'none' }],
  ['hard alignment, exp', { alignment: 'hard', graph: 'none', sinkhorn: 'exp' }],
  ['given graph', { graph: 'given' }],
  ['κ-NN graph', { graph: 'knn' }],
  ['ICDF, per example', { graph: 'icdf' }],
  ['ICDF, per batch, logistic', { graph: 'icdf', graphsPer: 'batch', reference: 'logistic' }],
  ['Gumbel, per example, no skip', { graph: 'gumbel', skip: false }],
  ['owner dropout', { ownerDropout: 0.2 }],
  ['the quadratic activation', { activation: 'quadratic', graphsPer: 'batch' }],
  ['the quadratic activation and SGD', { activation: 'quadratic', optimizer: 'sgd', learningRate: 0.1 }],
  ['a set transformer', { method: 'transformer' }],
  ['concatenation', { method: 'concatenation' }],
];

describe('training', () => {
  const data = easyData(engine);
  const labels = Int32Array.from(data.split.test, (row) => data.labels[row]);

  it.each(variants)('learns an easy problem with %s', async (_, change) => {
    const model = makeFusionModel(engine, { ...quick, ...change }, shape);
    const { history } = await trainFusion(engine, model, data);
    const probabilities = softmaxRows(predictLogits(engine, model, data, data.split.test), 2);
    expect(history.at(-1)?.trainLoss).toBeLessThan(history[0].trainLoss);
    const enough = change.alignment === 'none' || change.alignment === 'hard' ? 0.65 : 0.85;
    expect(
      binaryScores(
        probabilities.filter((_, i) => i % 2 === 1),
        labels,
      ).auc,
    ).toBeGreaterThan(enough);
    model.dispose();
  });

  it('gives the same bits on one thread and on three', async () => {
    const weights = await Promise.all(
      [1, 3].map(async (threads) => {
        const own = new Engine({ threads });
        const model = makeFusionModel(own, { ...quick, epochs: 3, ownerDropout: 0.2 }, shape);
        await trainFusion(own, model, easyData(own));
        const copy = copyWeights(model);
        await own.dispose();
        return copy;
      }),
    );
    expect(weights[1]).toEqual(weights[0]);
  });

  it('gives the same bits from embeddings that are made for each batch', async () => {
    const stored = data.embeddings as Tensor;
    const made = { ...data, embeddings: (tape: Tape, rows: Uint32Array) => gatherRows(tape, stored, rows) };
    const [one, other] = [data, made].map(async (source) => {
      const model = makeFusionModel(engine, { ...quick, epochs: 3 }, shape);
      const training = await trainFusion(engine, model, source);
      const logits = predictLogits(engine, model, source, data.split.test);
      return { training, logits, weights: copyWeights(model) };
    });
    expect(await one).toEqual(await other);
  });

  it('stops when the validation loss has not improved for `patience` epochs and keeps the best epoch', async () => {
    const config = { ...quick, learningRate: 0.3, epochs: 200, patience: 4 };
    const model = makeFusionModel(engine, config, shape);
    const fitted = await trainFusion(engine, model, data);
    const best = fitted.history.reduce((a, b) => (b.validationLoss < a.validationLoss ? b : a));
    expect(fitted.epochs).toBeLessThan(200);
    expect(fitted.epochs - fitted.bestEpoch).toBe(4);
    expect([fitted.bestEpoch, fitted.validationLoss]).toEqual([best.epoch, best.validationLoss]);
    model.dispose();
  });

  it('can be stopped from outside', async () => {
    const stop = new AbortController();
    const model = makeFusionModel(engine, quick, shape);
    const onEpoch = ({ epoch }: { epoch: number }) => epoch === 2 && stop.abort();
    const { epochs } = await trainFusion(engine, model, data, { signal: stop.signal, onEpoch });
    expect(epochs).toBe(2);
    model.dispose();
  });

  it.each([1, 4, 7, 11])('goes on from a checkpoint after step %i to the same bits', async (step) => {
    const config = { ...quick, epochs: 4, ownerDropout: 0.3 };
    let bytes = new Uint8Array();
    const whole = makeFusionModel(engine, config, shape);
    const keep = (state: () => TrainingState) => {
      const now = state();
      if (now.step === step) bytes = encodeCheckpoint(now, 'test') as Uint8Array<ArrayBuffer>;
    };
    const first = await trainFusion(engine, whole, data, { onStep: keep });
    const resumed = makeFusionModel(engine, { ...config, seed: 0 }, shape);
    const second = await trainFusion(engine, resumed, data, { resume: decodeCheckpoint(bytes, 'file', 'test') });
    expect(second).toEqual(first);
    expect(copyWeights(resumed)).toEqual(copyWeights(whole));
    for (const model of [whole, resumed]) model.dispose();
  });

  it.each<[string, Partial<FusionConfig>]>([
    ['averaged weights that decay', { averageWeights: 0.9, weightDecay: 0.1 }],
    ['SGD for weights beside Adam for edges', { optimizer: 'sgd', activation: 'quadratic', learningRate: 0.05 }],
  ])('goes on from a checkpoint with %s, to the same bits', async (_, change) => {
    const config = { ...quick, epochs: 4, ...change };
    let bytes = new Uint8Array();
    const whole = makeFusionModel(engine, config, shape);
    const keep = (state: () => TrainingState) => {
      const now = state();
      if (now.step === 5) bytes = encodeCheckpoint(now, 'test') as Uint8Array<ArrayBuffer>;
    };
    const first = await trainFusion(engine, whole, data, { onStep: keep });
    const resumed = makeFusionModel(engine, { ...config, seed: 0 }, shape);
    const second = await trainFusion(engine, resumed, data, { resume: decodeCheckpoint(bytes, 'file', 'test') });
    expect(second).toEqual(first);
    expect(copyWeights(resumed)).toEqual(copyWeights(whole));
    for (const model of [whole, resumed]) model.dispose();
  });

  it('predicts with the weights averaged over steps', async () => {
    const config = { ...quick, epochs: 1, averageWeights: 0.7 };
    const model = makeFusionModel(engine, config, shape);
    const seen: Float32Array[] = [];
    await trainFusion(engine, model, data, { onStep: (state) => seen.push(state().weights.W0) });
    const mean = reference.average(
      seen.map((weights) => Float64Array.from(weights)),
      0.7,
    );
    expectClose(model.parameters.W0.data, mean[seen.length - 1], 1e-6, 'W0');
    expect(seen.length).toBe(3);
    model.dispose();
  });

  it('moves weights by SGD with momentum and edge probabilities by Adam', async () => {
    const config: FusionConfig = { ...quick, optimizer: 'sgd', learningRate: 1e-8, epochs: 1 };
    const model = makeFusionModel(engine, config, shape);
    const start = copyWeights(model);
    await trainFusion(engine, model, data);
    expectClose(model.parameters.W0.data, Float64Array.from(start.W0), 1e-6, 'W0');
    const moved = model.parameters.theta.data.map((value, i) => Math.abs(value - start.theta[i]));
    expect(Math.max(...moved)).toBeGreaterThan(0.02); // three steps of about 0.01
    model.dispose();
  });

  it('lets weights decay, but neither biases nor edge probabilities', async () => {
    const after = async (weightDecay: number) => {
      const config = { ...quick, learningRate: 1e-6, weightDecay, epochs: 2 };
      const model = makeFusionModel(engine, config, shape);
      const start = copyWeights(model);
      await trainFusion(engine, model, data);
      const end = copyWeights(model);
      model.dispose();
      const size = (values: Float32Array) => Math.hypot(...values);
      return Object.fromEntries(Object.keys(end).map((name) => [name, size(end[name]) / size(start[name])]));
    };
    const shares = await after(100_000);
    for (const name of ['W0', 'W1', 'P']) expect(shares[name], name).toBeLessThan(0.9);
    for (const name of ['b0', 'b1', 'theta']) expect(shares[name], name).toBeCloseTo(1, 3);
  });

  it('refuses a checkpoint of another training', () => {
    const state: TrainingState = {
      epoch: 1,
      batch: 0,
      step: 0,
      lossSum: 0,
      best: { epoch: 0, loss: 1 },
      history: [],
      weights: {},
      bestWeights: {},
      optimizer: { steps: 0, arrays: {} },
    };
    expect(() => decodeCheckpoint(encodeCheckpoint(state, 'one'), 'x.safetensors', 'other')).toThrow(
      'checkpoint x.safetensors: must be of the same bundles, labels, split and options; remove it to start anew',
    );
  });

  it('says so when it diverges', async () => {
    const model = makeFusionModel(engine, { ...quick, learningRate: 1e30 }, shape);
    await expect(trainFusion(engine, model, data)).rejects.toThrow(
      /validation loss must stay finite, got NaN in epoch 1; try a learning rate below 1e\+30$/,
    );
    model.dispose();
  });

  it('names the owner whose embeddings are too large for any learning rate', async () => {
    const embeddings = (data.embeddings as Tensor).data.slice();
    embeddings[(7 * OWNERS + 2) * WIDTH] = -2e30;
    const large = { ...data, embeddings: engine.buffer([SAMPLES, OWNERS, WIDTH], embeddings) };
    const model = makeFusionModel(engine, { ...quick, method: 'transformer' }, shape);
    const said = 'the embeddings of owner number 3 hold -2e+30, where numbers of the size of 1 are expected';
    await expect(trainFusion(engine, model, large)).rejects.toThrow(said);
    const owners = Array.from({ length: OWNERS }, (_, i) => ({ owner: `plant-${i}` }));
    await expect(trainFusion(engine, model, { ...large, owners })).rejects.toThrow('embeddings of plant-2 hold -2e+30');
    model.dispose();
  });
});
