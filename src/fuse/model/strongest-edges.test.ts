import { describe, expect, it } from 'vitest';
import fc from '../../../test/support/seeded-fast-check.ts';
import { edgeHistogram, edgesByStrength, type OwnerGraph } from './owner-graph.ts';
import { summariseGraph } from './strongest-edges.ts';

/** Few different values, so that there are ties. The lower triangle of a learned graph mirrors the upper. */
const graphs = fc
  .tuple(fc.integer({ min: 2, max: 12 }), fc.constantFrom<OwnerGraph['kind']>('learned', 'neighbours'))
  .chain(([owners, kind]) =>
    fc
      .array(fc.integer({ min: 0, max: 5 }), { minLength: owners * owners, maxLength: owners * owners })
      .map((steps): OwnerGraph => {
        const probabilities = Float32Array.from(steps, (step) => step / 5);
        for (let i = 0; i < owners; i++) {
          probabilities[i * owners + i] = 0;
          for (let j = 0; j < i && kind === 'learned'; j++) {
            probabilities[i * owners + j] = probabilities[j * owners + i];
          }
        }
        return { kind, owners, probabilities };
      }),
  );

describe('the strongest edges', () => {
  it('are the first of all edges by strength, ties in the owners’ order', () => {
    fc.assert(
      fc.property(graphs, fc.integer({ min: 0, max: 80 }), (graph, most) => {
        const all = edgesByStrength(graph);
        const { edges, histogram, pairs, mean } = summariseGraph(graph, most);
        expect(edges).toEqual(all.filter(({ probability }) => probability > 0).slice(0, most));
        expect(histogram).toEqual(edgeHistogram(all, 20));
        expect(pairs).toBe(all.length);
        expect(mean).toBeCloseTo(all.reduce((sum, { probability }) => sum + probability, 0) / all.length, 6);
      }),
    );
  });

  it('of one owner are none', () => {
    const alone: OwnerGraph = { kind: 'learned', owners: 1, probabilities: Float32Array.of(0) };
    expect(summariseGraph(alone, 10)).toMatchObject({ pairs: 0, mean: Number.NaN, edges: [] });
  });
});
