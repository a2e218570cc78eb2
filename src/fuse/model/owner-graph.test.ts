import { describe, expect, it } from 'vitest';
import { edgeHistogram, edgesByStrength, type OwnerGraph } from './owner-graph.ts';

/** Pairs 0–1: .25, 0–2: .9, 1–2: .25 */
const graph: OwnerGraph = {
  kind: 'learned',
  owners: 3,
  probabilities: Float32Array.of(0, 0.25, 0.9, 0.25, 0, 0.25, 0.9, 0.25, 0),
};

describe('edges', () => {
  it('come with the strongest first, equals in the order of owners, no pair twice', () => {
    expect(edgesByStrength(graph).map(({ ends }) => ends)).toEqual([
      [0, 2],
      [0, 1],
      [1, 2],
    ]);
  });

  it('can be those of some owners only', () => {
    expect(edgesByStrength(graph, new Set([1])).map(({ ends }) => ends)).toEqual([
      [0, 1],
      [1, 2],
    ]);
  });

  it('of a given graph count when either direction is there', () => {
    const given: OwnerGraph = { kind: 'given', owners: 2, probabilities: Float32Array.of(0, 0, 1, 0) };
    expect(edgesByStrength(given)).toEqual([{ ends: [0, 1], probability: 1 }]);
  });
});

describe('the histogram', () => {
  it('counts every edge once, with 1 in the last bin', () => {
    const edges = [0, 0.25, 0.5, 1].map((probability) => ({ ends: [0, 1] as [number, number], probability }));
    expect(edgeHistogram(edges, 4)).toEqual([
      { from: 0, to: 0.25, count: 1 },
      { from: 0.25, to: 0.5, count: 1 },
      { from: 0.5, to: 0.75, count: 1 },
      { from: 0.75, to: 1, count: 1 },
    ]);
  });
});
