import { describe, expect, it } from 'vitest';
import { checkNamedGraph, orderGraph } from './order-graph.ts';

const GRAPH = { owners: ['a', 'b', 'c'], weights: [0, 1, 2, 3, 0, 4, 5, 6, 0] };

describe('a graph between named owners', () => {
  it('is put in the order of the bundles, without the owners that sent none', () => {
    expect(Array.from(orderGraph(GRAPH, ['c', 'a']))).toEqual([0, 5, 2, 0]);
    expect(Array.from(orderGraph(GRAPH, GRAPH.owners))).toEqual(GRAPH.weights);
  });

  it.each([
    ['an owner twice', { ...GRAPH, owners: ['a', 'b', 'a'] }, 'must name every owner once, got a again'],
    ['no such owner', { ...GRAPH, owners: ['a', 'b', 'x'] }, 'must have every owner of the bundles, got none named c'],
    ['too few numbers', { ...GRAPH, weights: [0, 1, 1, 0] }, 'must be 3 × 3 numbers, .* got 4 numbers'],
    ['a weight below 0', { ...GRAPH, weights: [0, 1, 2, 3, 0, -4, 5, 6, 0] }, 'got -4 in row 2, column 3'],
  ])('is refused with %s', (_, graph, message) => {
    const check = () => checkNamedGraph(graph, ['c', 'a'], 'adjacency m.csv');
    expect(check).toThrow(new RegExp(`^adjacency m.csv: .*${message}$`));
    expect(check).toThrow(expect.objectContaining({ code: 'F3_FUSE_GRAPH' }));
  });
});
