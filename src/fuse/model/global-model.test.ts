import { afterAll, describe, expect, it } from 'vitest';
import { Engine } from '../../core/engine/engine.ts';
import { quantileEdges } from '../../core/quantile-edges.ts';
import { RandomStream } from '../../core/random.ts';
import { encodedProjection } from '../../core/reference/encoded-projection.ts';
import { type FusionConfig, paperPreset } from '../fusion-config.ts';
import { edgeProbabilities } from './edge-probabilities.ts';
import type { Graphs } from './fusion-model.ts';
import { GlobalModel } from './global-model.ts';

const engine = new Engine({ threads: 2 });
afterAll(() => engine.dispose());

const [BATCH, OWNERS, WIDTH, HIDDEN, CLASSES] = [6, 7, 5, 4, 3];
const random = new RandomStream(11, 0);
const numbers = (size: number) => Float32Array.from({ length: size }, () => random.normal());
const present = Float32Array.from({ length: BATCH * OWNERS }, (_, at) =>
  at < OWNERS || random.uniform() < 0.3 ? 0 : 1,
);
const embeddings = numbers(BATCH * OWNERS * WIDTH).map((value, at) => value * present[Math.floor(at / WIDTH)]);
const edges = Float32Array.from({ length: OWNERS * OWNERS }, (_, at) =>
  Math.abs(Math.floor(at / OWNERS) - (at % OWNERS)) === 1 ? 1 : 0,
);
const shape = { owners: OWNERS, width: WIDTH, classes: CLASSES, adjacency: edges };

function makeModel(change: Partial<FusionConfig>): GlobalModel {
  return new GlobalModel(engine, { ...paperPreset, hidden: HIDDEN, neighbours: 2, seed: 3, ...change }, shape);
}

function logitsOf(model: GlobalModel, graphs: Graphs, mask = present, values = embeddings): Float32Array {
  const tape = engine.inferenceTape();
  const batch = {
    embeddings: tape.constant([BATCH, OWNERS, WIDTH], values),
    present: tape.constant([BATCH, OWNERS], mask),
  };
  const logits = model.forward(tape, batch, graphs).logits.data.slice();
  tape.dispose();
  return logits;
}

/** Two layers, one after the other, absent owners' outputs set to zero after each, then the mean over all n (Eq. 8). */
function twoLayers(model: GlobalModel, graph: ArrayLike<number>, skip: boolean): number[] {
  const [W0, b0, W1, b1] = ['W0', 'b0', 'W1', 'b1'].map((name) => Array.from(model.parameters[name].data));
  const alignments = model.alignments();
  const withLoops = Array.from(graph, (edge, at) => edge + (at % (OWNERS + 1) === 0 ? 1 : 0));
  const degree = (i: number) => withLoops.slice(i * OWNERS, (i + 1) * OWNERS).reduce((a, b) => a + b, 0);
  const normalised = withLoops.map((edge, at) => {
    const [i, j] = [Math.floor(at / OWNERS), at % OWNERS];
    return edge / Math.sqrt(degree(i) * degree(j)) + (skip && i === j ? 1 : 0);
  });
  const layer = (x: number[][], weight: number[], bias: number[], mask: Float32Array) => {
    const mapped = x.map((row) =>
      bias.map((_, c) => row.reduce((sum, v, k) => sum + v * weight[k * bias.length + c], 0)),
    );
    return x.map((_, i) =>
      bias.map((b, c) => mask[i] * (b + mapped.reduce((sum, row, j) => sum + normalised[i * OWNERS + j] * row[c], 0))),
    );
  };
  return Array.from({ length: BATCH }, (_, s) => {
    const mask = present.subarray(s * OWNERS, (s + 1) * OWNERS);
    const aligned = Array.from({ length: OWNERS }, (_, i) => {
      const h = embeddings.subarray((s * OWNERS + i) * WIDTH, (s * OWNERS + i + 1) * WIDTH);
      if (!alignments) return Array.from(h);
      const row = (k: number) => alignments.subarray((i * WIDTH + k) * WIDTH, (i * WIDTH + k + 1) * WIDTH);
      return Array.from(h, (_, k) => row(k).reduce((sum, p, l) => sum + p * h[l], 0));
    });
    const hidden = layer(aligned, W0, b0, mask).map((row, i) => row.map((v) => mask[i] * Math.max(0, v)));
    const out = layer(hidden, W1, b1, mask);
    return b1.map((_, c) => out.reduce((sum, row) => sum + row[c], 0) / OWNERS);
  }).flat();
}

function expectClose(actual: ArrayLike<number>, wanted: number[]): void {
  wanted.forEach((value, i) => {
    expect(actual[i]).toBeCloseTo(value, 5);
  });
}

describe('with absent owners the global model is two masked layers and a mean over all owners', () => {
  it.each([true, false])('given graph, skip %s', (skip) => {
    const model = makeModel({ graph: 'given', skip });
    expectClose(logitsOf(model, 'mean'), twoLayers(model, edges, skip));
  });

  it('hard alignment', () => {
    const model = makeModel({ graph: 'given', alignment: 'hard' });
    expectClose(logitsOf(model, 'mean'), twoLayers(model, edges, true));
  });

  it('the mean graph of learned edge probabilities', () => {
    const model = makeModel({ graph: 'icdf', alignment: 'none' });
    expectClose(
      logitsOf(model, 'mean'),
      twoLayers(model, edgeProbabilities(model.parameters.theta.data, OWNERS), true),
    );
  });

  it.each(['example', 'batch'] as const)('sampled graphs that are certain, one per %s', (per) => {
    const model = makeModel({ graph: 'icdf', temperature: 0.01 });
    model.parameters.theta.data.set(edges);
    expectClose(logitsOf(model, { seed: 1, step: 0, per }), twoLayers(model, edges, true));
  });

  it('no graph: masked rows leave the mean', () => {
    const model = makeModel({ graph: 'none' });
    const { b1 } = model.parameters;
    // The first example has nobody: its logits are zero, not the bias.
    expect(Array.from(logitsOf(model, 'mean').subarray(0, CLASSES))).toEqual([0, 0, 0]);
    expect(b1.data.every((value) => value !== 0)).toBe(true);
  });
});

describe('presence', () => {
  const everyone = new Float32Array(BATCH * OWNERS).fill(1);
  const full = numbers(BATCH * OWNERS * WIDTH);

  it.each(['none', 'given', 'knn', 'icdf', 'gumbel'] as const)('of everyone changes nothing, graph %s', (graph) => {
    const model = makeModel({ graph });
    const tape = engine.inferenceTape();
    const x = tape.constant([BATCH, OWNERS, WIDTH], full);
    const plain = Array.from(model.forward(tape, { embeddings: x }, { seed: 4, step: 1 }).logits.data);
    expectClose(logitsOf(model, { seed: 4, step: 1 }, everyone, full), plain);
    tape.dispose();
  });
});

describe('codes, owner biases and a read-out by layers', () => {
  const BINS = 3;
  const rows = Uint32Array.from({ length: BATCH }, (_, i) => i);
  const values = numbers(BATCH * OWNERS * WIDTH);
  const binEdges = quantileEdges({ embeddings: values, owners: OWNERS, width: WIDTH }, rows, BINS);
  const config: FusionConfig = {
    ...paperPreset,
    encoding: 'quantiles',
    bins: BINS,
    ownerBias: true,
    readout: 'layers',
    graph: 'none',
    hidden: HIDDEN,
  };
  const model = new GlobalModel(engine, config, { ...shape, binEdges });

  /** relu(code·T + B + b0), the mean over those present, relu(·W1 + b1)·W2 + b2 */
  function expected(mask: Float32Array): number[] {
    const [T, B, b0, W1, b1, W2, b2] = ['T', 'B', 'b0', 'W1', 'b1', 'W2', 'b2'].map((name) =>
      Float64Array.from(model.parameters[name].data),
    );
    const sizes = { owners: OWNERS, width: WIDTH, bins: BINS, out: HIDDEN };
    const projected = encodedProjection(Float64Array.from(values), Float64Array.from(binEdges), T, sizes, B);
    const dense = (x: number[], weight: Float64Array, bias: Float64Array) =>
      Array.from(bias, (b, c) => x.reduce((sum, v, k) => sum + v * weight[k * bias.length + c], b));
    return Array.from({ length: BATCH }, (_, s) => {
      const own = Array.from({ length: OWNERS }, (_, i) => s * OWNERS + i).filter((at) => mask[at] === 1);
      const mean = Array.from(b0, (b, c) =>
        own.reduce((sum, at) => sum + Math.max(0, projected[at * HIDDEN + c] + b) / own.length, 0),
      );
      const inner = dense(mean, W1, b1).map((v) => Math.max(0, v));
      return dense(inner, W2, b2);
    }).flat();
  }

  it('give the logits of their formula, with everybody and with owners absent', () => {
    const all = new Float32Array(BATCH * OWNERS).fill(1);
    expectClose(logitsOf(model, 'mean', all, values), expected(all));
    const some = present.map((is, at) => (at < OWNERS ? 1 : is));
    expectClose(logitsOf(model, 'mean', some, values), expected(some));
  });

  it('lead through the common space where tables do: (code·T + B)·W0 in the place of code·T + B', () => {
    const common = new GlobalModel(engine, { ...config, tables: 'common' }, { ...shape, binEdges });
    const { T, B, W0 } = common.parameters;
    expect([T.shape, B.shape, W0.shape]).toEqual([
      [OWNERS, WIDTH, BINS, WIDTH],
      [OWNERS, WIDTH],
      [WIDTH, HIDDEN],
    ]);
    // The same function without the common space: every table and bias times W0.
    const times = (rows: Float32Array) =>
      Float32Array.from({ length: (rows.length / WIDTH) * HIDDEN }, (_, at) => {
        const [row, c] = [Math.floor(at / HIDDEN), at % HIDDEN];
        return Array.from({ length: WIDTH }, (_, k) => rows[row * WIDTH + k] * W0.data[k * HIDDEN + c]).reduce(
          (sum, value) => sum + value,
          0,
        );
      });
    const direct = new GlobalModel(engine, config, { ...shape, binEdges });
    for (const name of ['b0', 'W1', 'b1', 'W2', 'b2']) direct.parameters[name].data.set(common.parameters[name].data);
    direct.parameters.T.data.set(times(T.data));
    direct.parameters.B.data.set(times(B.data));
    const some = present.map((is, at) => (at < OWNERS ? 1 : is));
    expectClose(logitsOf(common, 'mean', some, values), Array.from(logitsOf(direct, 'mean', some, values)));
    for (const each of [common, direct]) each.dispose();
  });

  it('stay finite when nobody is present', () => {
    const logits = logitsOf(model, 'mean', new Float32Array(BATCH * OWNERS), values);
    expect(logits.every(Number.isFinite)).toBe(true);
  });

  it.each([
    ['codes', { encoding: 'quantiles', bins: BINS }],
    ['biases', { ownerBias: true }],
  ] as [string, Partial<FusionConfig>][])('%s: what an absent owner would say does not reach a graph', (_, change) => {
    const behind = new GlobalModel(
      engine,
      { ...config, encoding: 'none', graph: 'given', ...change },
      { ...shape, binEdges },
    );
    // Owner 2 is absent everywhere; the model that never had it gives the same, for its row and column are masked.
    const mask = Float32Array.from({ length: BATCH * OWNERS }, (_, at) => (at % OWNERS === 2 ? 0 : 1));
    const silent = values.map((value, at) => (Math.floor(at / WIDTH) % OWNERS === 2 ? 0 : value));
    const before = logitsOf(behind, 'mean', mask, silent);
    for (const name of ['T', 'P', 'B']) {
      const tensor = behind.parameters[name];
      if (!tensor) continue;
      const size = tensor.size / OWNERS;
      tensor.data.fill(7, 2 * size, 3 * size);
    }
    expect(logitsOf(behind, 'mean', mask, silent)).toEqual(before);
    behind.dispose();
  });

  it('ask for the edges of the bins', () => {
    expect(() => new GlobalModel(engine, config, shape)).toThrow('the shape must carry the edges of the bins');
  });
});
