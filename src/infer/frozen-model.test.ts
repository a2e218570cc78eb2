import { afterAll, describe, expect, it } from 'vitest';
import { Engine } from '../core/engine/engine.ts';
import { quantileEdges } from '../core/quantile-edges.ts';
import { RandomStream } from '../core/random.ts';
import { type FusionConfig, paperPreset } from '../fuse/fusion-config.ts';
import { GlobalModel } from '../fuse/model/global-model.ts';
import { predictLogits } from '../fuse/model/predict-logits.ts';
import { FrozenModel } from './frozen-model.ts';

const engine = new Engine({ threads: 2 });
afterAll(() => engine.dispose());

const [SAMPLES, OWNERS, WIDTH] = [5, 7, 4];
const random = new RandomStream(2, 0);
const values = Float32Array.from({ length: SAMPLES * OWNERS * WIDTH }, () => random.normal());
const mask = Float32Array.from({ length: SAMPLES * OWNERS }, () => (random.uniform() < 0.3 ? 0 : 1));
const masked = values.map((value, at) => value * mask[Math.floor(at / WIDTH)]);
const rows = Uint32Array.from({ length: SAMPLES }, (_, i) => i);
const adjacency = Float32Array.from({ length: OWNERS ** 2 }, (_, at) => (at % 3 === 0 ? 1 : 0));

const variants: [string, Partial<FusionConfig>][] = [
  ['row K', {}],
  ['Gumbel, no alignment', { graph: 'gumbel', alignment: 'none' }],
  ['hard alignment, given graph', { graph: 'given', alignment: 'hard' }],
  ['mean pooling', { graph: 'none', alignment: 'none' }],
  ['codes, layers', { encoding: 'quantiles', bins: 4, ownerBias: true, readout: 'layers', graph: 'none' }],
  ['codes into the common space', { encoding: 'quantiles', tables: 'common', ownerBias: true, graph: 'none' }],
  ['codes behind a learned graph', { encoding: 'quantiles', bins: 2 }],
  ['biases and layers behind a learned graph', { ownerBias: true, readout: 'layers' }],
];

describe.each(variants)('a frozen model, %s', (_, change) => {
  const config = { ...paperPreset, hidden: 3, ...change };
  const binEdges = quantileEdges({ embeddings: values, owners: OWNERS, width: WIDTH }, rows, config.bins);
  const model = new GlobalModel(engine, config, { owners: OWNERS, width: WIDTH, classes: 3, adjacency, binEdges });

  it.each([4, 'mean'] as const)('answers as predictLogits does, graphs %s', (graphs) => {
    const frozen = new FrozenModel(engine, model, graphs);
    const embeddings = engine.buffer([SAMPLES, OWNERS, WIDTH], values);
    expect(frozen.logits(SAMPLES, values)).toEqual(predictLogits(engine, model, { embeddings }, rows, graphs));
    const absent = {
      embeddings: engine.buffer([SAMPLES, OWNERS, WIDTH], masked),
      present: engine.buffer([SAMPLES, OWNERS], mask),
    };
    expect(frozen.logits(SAMPLES, masked, mask)).toEqual(predictLogits(engine, model, absent, rows, graphs));
    frozen.dispose();
  });
});

it('a frozen model refuses κ-NN whose graph is not frozen', () => {
  const model = new GlobalModel(
    engine,
    { ...paperPreset, graph: 'knn', neighbours: 2 },
    { owners: 4, width: 2, classes: 2 },
  );
  expect(() => new FrozenModel(engine, model)).toThrow(
    'a κ-NN graph that is not frozen cannot be made without samples',
  );
});
