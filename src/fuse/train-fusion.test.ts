import { afterAll, describe, expect, it } from 'vitest';
import { Engine } from '../core/engine.ts';
import { RandomStream } from '../core/random.ts';
import { type FusionConfig, paperPreset } from './fusion-config.ts';
import { binaryScores } from './scores.ts';
import { type FusionData, predictLogits, probabilityOf, trainFusion } from './train-fusion.ts';

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
];

describe('training', () => {
  const data = easyData(engine);
  const labels = Int32Array.from(data.split.test, (row) => data.labels[row]);

  it.each(variants)('learns an easy problem with %s', (_, change) => {
    const losses: number[] = [];
    const fitted = trainFusion(engine, data, { ...quick, ...change }, shape, ({ trainLoss }) => {
      losses.push(trainLoss);
      return undefined;
    });
    const predicted = predictLogits(engine, fitted.model, data.embeddings, data.split.test);
    expect(losses.at(-1)).toBeLessThan(losses[0]);
    const enough = change.alignment === 'none' || change.alignment === 'hard' ? 0.65 : 0.85;
    expect(binaryScores(probabilityOf(1, predicted), labels).auc).toBeGreaterThan(enough);
    fitted.model.dispose();
  });

  it('gives the same bits on one thread and on three', async () => {
    const weights = await Promise.all(
      [1, 3].map(async (threads) => {
        const own = new Engine({ threads });
        const { model } = trainFusion(own, easyData(own), { ...quick, epochs: 3 }, shape);
        const copy = model.parameterList.map((tensor) => tensor.data.slice());
        await own.dispose();
        return copy;
      }),
    );
    expect(weights[1]).toEqual(weights[0]);
  });

  it('stops when the validation loss has not improved for `patience` epochs and keeps the best epoch', () => {
    const reports: { epoch: number; validationLoss: number }[] = [];
    const config = { ...quick, learningRate: 0.3, epochs: 200, patience: 4 };
    const fitted = trainFusion(engine, data, config, shape, (report) => {
      reports.push(report);
      return undefined;
    });
    const best = reports.reduce((a, b) => (b.validationLoss < a.validationLoss ? b : a));
    expect(fitted.epochs).toBeLessThan(200);
    expect(fitted.epochs - fitted.bestEpoch).toBe(4);
    expect([fitted.bestEpoch, fitted.validationLoss]).toEqual([best.epoch, best.validationLoss]);
    fitted.model.dispose();
  });

  it('can be stopped from outside', () => {
    const fitted = trainFusion(engine, data, quick, shape, ({ epoch }) => epoch < 2);
    expect(fitted.epochs).toBe(2);
    fitted.model.dispose();
  });
});
