import { expect, test } from 'vitest';
import { type FusionConfig, paperPreset } from '../../fuse/fusion-config.ts';
import type { FusedCard } from '../../fuse/model/fused-card.ts';
import { aboutModel, toldEpochs } from './model-about.ts';

const scores = { accuracy: 1, f1: 1, auc: 1, prAuc: 1, loss: 0 };
const text = (change: Partial<FusionConfig>, facts: Partial<FusedCard> = {}) => {
  const card: FusedCard = {
    format: 'f3-fused-model',
    version: 1,
    code: '0',
    created: '2024-05-01T10:00:00.000Z',
    weights: 'ab',
    config: { ...paperPreset, ...change },
    classes: ['calm', 'storm'],
    owners: [{ owner: 'a', width: 4, bundle: '', rows: 3, joined: 3 }],
    samples: { train: 1, validation: 1, test: 1 },
    epochs: 7,
    bestEpoch: 3,
    seconds: 1,
    history: [],
    validation: scores,
    test: scores,
    ...facts,
  };
  return aboutModel(card)
    .map(([label, line]) => `${label} ${line}`)
    .join('\n');
};

test('codes, layers, decay and averages are shown where a model has them', () => {
  const said = text({
    encoding: 'quantiles',
    bins: 4,
    ownerBias: true,
    readout: 'layers',
    weightDecay: 0.1,
    averageWeights: 0.99,
  });
  expect(said).toContain('soft: one free table of 4 quantile bins per number and owner, and a bias');
  expect(said).toContain('two layers on the mean over owners');
  expect(said).toContain('weight decay 0.1, weights averaged (0.99), batch 100');
});

test('the quadratic activation and plain steps are shown where a model has them', () => {
  const said = text({ activation: 'quadratic', optimizer: 'sgd', learningRate: 0.3 });
  expect(said).toContain('activation quadratic, ¼z² + ½z');
  expect(said).toContain('stochastic gradient descent, learning rate 0.3');
  expect(text({})).not.toMatch(/quadratic|gradient descent/);
});

test('a model of the paper shows nothing of what it does not have', () => {
  expect(text({})).not.toMatch(/bias|quantile|read-out|decay|averaged \(/);
});

test('boosted trees have neither batches nor alignments nor weights', () => {
  // What weights would do stays in the config, as the preset has it.
  const said = text({ method: 'boosting', learningRate: 0.1, weightDecay: 0.1, averageWeights: 0.99 });
  expect(said).toContain('boosted trees on all embeddings side by side');
  expect(said).toContain('learning rate 0.1, patience 50');
  expect(said).not.toMatch(/batch|alignment|graph|decay|averaged \(|seed/);
  expect(text({ method: 'boosting', ownerDropout: 0.5, seed: 3 })).toContain('patience 50, seed 3');
});

test('which class is named is shown where it is not the likeliest', () => {
  expect(text({}, { decision: { gains: [0, 1], costs: [0, 0.43] } })).toContain(
    'named storm where its probability is above 0.430, best for F1',
  );
  const three = { classes: ['calm', 'storm', 'hail'], decision: { gains: [1, 2, 3], costs: [1, 1, 1] } };
  expect(text({}, three)).toContain('named the class that is best for macro F1');
  expect(text({})).not.toContain('named');
});

test('numbers that a coordinator withholds are dashes', () => {
  const withheld = null as unknown as number;
  const epochs = [1, 2].map((epoch) => ({ epoch, trainLoss: 0.5, validationLoss: withheld }));
  const said = text(
    {},
    { calibration: { temperature: withheld }, learningRates: [{ rate: 0.1, validationLoss: withheld }] },
  );
  expect(said).toContain('logits divided by –');
  expect(said).toContain('0.1: –');
  expect(toldEpochs({ history: epochs })).toEqual([]);
});
