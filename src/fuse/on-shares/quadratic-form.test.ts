import { afterAll, expect, it } from 'vitest';
import { Engine } from '../../core/engine/engine.ts';
import { RandomStream } from '../../core/random.ts';
import { normalisedGraph, poolingOf } from '../../shares/public-graph.ts';
import { QuadraticForms } from './quadratic-form.ts';

const engine = new Engine({ threads: 1 });
afterAll(() => engine.dispose());
const N = 6;
const random = new RandomStream(2, 0);

/** Σ_i w_i·(¼z_i² + ½z_i) with z = ÂX + β, averaged over graphs, written down. */
function pooled(graphs: Float32Array[], skip: boolean, present: Uint8Array, x: number[], bias: number): number {
  const normalised = graphs.length > 0 ? graphs.map((graph) => normalisedGraph(graph, N, skip)) : [undefined];
  const values = normalised.map((graph) => {
    const pooling = poolingOf(graph, N, 1, present);
    return x.reduce((sum, own, i) => {
      const z = bias + (graph ? x.reduce((all, other, j) => all + graph[i * N + j] * other, 0) : own);
      return sum + ((present[i] * pooling[i]) / N) * (z * z * 0.25 + z * 0.5);
    }, 0);
  });
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

const graph = () => {
  const edges = new Float32Array(N * N);
  for (let i = 0; i < N; i++) for (let j = 0; j < i; j++) edges[i * N + j] = edges[j * N + i] = random.uniform();
  return edges;
};

it.each([
  ['no graph', [], false],
  ['one graph', [graph()], true],
  ['three graphs', [graph(), graph(), graph()], false],
])('is the mean over owners of the activations, averaged: %s', (_, graphs, skip) => {
  const forms = new QuadraticForms(graphs, N, skip);
  for (const absent of [[], [2], [0, 5], [0, 1, 2, 3, 4]]) {
    const present = Uint8Array.from({ length: N }, (_unused, i) => (absent.includes(i) ? 0 : 1));
    const x = Array.from({ length: N }, (_unused, i) => (present[i] ? random.normal() : 0));
    const { quadratic, linear } = forms.of(engine, absent.length > 0 ? present : undefined);
    const all = [...x, 0.7];
    let value = 0;
    for (const [i, a] of all.entries()) {
      value += linear[i] * a;
      for (const [j, b] of all.entries()) value += quadratic[i * (N + 1) + j] * a * b;
    }
    expect(value).toBeCloseTo(pooled(graphs, skip, present, x, 0.7), 5);
  }
});

it('keeps the latest forms and makes older ones again', () => {
  const forms = new QuadraticForms([graph()], N, true);
  const only = (owner: number) => Uint8Array.from({ length: N }, (_, i) => (i === owner ? 0 : 1));
  const first = forms.of(engine, only(0));
  expect(forms.of(engine, only(0))).toBe(first);
  for (let owner = 1; owner < N; owner++) forms.of(engine, only(owner));
  expect(forms.of(engine, only(0))).not.toBe(first);
  expect(forms.of(engine, only(0))).toEqual(first);
});
