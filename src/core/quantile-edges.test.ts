import { describe, expect, it } from 'vitest';
import { quantileEdges } from './quantile-edges.ts';

describe('quantile edges', () => {
  // Owner 0 counts up from 0, owner 1 down from 0 in hundredths; two dimensions each, the second ten times the first.
  const embeddings = new Float32Array(101 * 2 * 2);
  for (let s = 0; s < 101; s++) embeddings.set([s, 10 * s, -s / 100, -s / 10], 4 * s);
  const rows = Uint32Array.from({ length: 101 }, (_, i) => i);

  it('cut what each owner saw into bins of one size, per dimension', () => {
    const edges = quantileEdges({ embeddings, owners: 2, width: 2 }, rows, 4);
    const wanted = [0, 25, 50, 75, 100, 0, 250, 500, 750, 1000, -1, -0.75, -0.5, -0.25, 0, -10, -7.5, -5, -2.5, 0];
    wanted.forEach((edge, i) => {
      expect(edges[i]).toBeCloseTo(edge, 5);
    });
  });

  it('lie between neighbours as numpy.quantile puts them', () => {
    const edges = quantileEdges({ embeddings, owners: 2, width: 2 }, rows.subarray(0, 6), 4);
    expect([...edges.subarray(0, 5)]).toEqual([0, 1.25, 2.5, 3.75, 5]);
  });

  it('look at no other sample than those given, and at none that the owner did not see', () => {
    const present = new Float32Array(202).fill(1);
    for (let s = 50; s < 101; s++) present[2 * s] = 0;
    const edges = quantileEdges({ embeddings, present, owners: 2, width: 2 }, rows, 1);
    expect([...edges.subarray(0, 2)]).toEqual([0, 49]);
    expect([...edges.subarray(4, 6)]).toEqual([-1, 0]);
  });

  it('have no width for an owner that saw nothing', () => {
    const present = Float32Array.from({ length: 202 }, (_, i) => i % 2);
    const edges = quantileEdges({ embeddings, present, owners: 2, width: 2 }, rows, 3);
    expect([...edges.subarray(0, 8)]).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });
});
