import { afterAll, describe, expect, it } from 'vitest';
import { checkOp } from '../../../test/support/check-op.ts';
import fc from '../../../test/support/seeded-fast-check.ts';
import { Engine } from '../engine/engine.ts';
import * as reference from '../reference/knn-graph.ts';
import { knnGraph } from './knn-graph.ts';

for (const [batch, n, f, neighbours] of [
  [3, 7, 5, 2],
  [2, 150, 5, 10],
  [1, 3, 2, 1],
  [40, 30, 3, 29],
]) {
  checkOp(`knnGraph of ${n} owners with ${neighbours} neighbours, batch ${batch}, width ${f}`, {
    inputs: { features: { shape: [batch, n, f] } },
    op: (tape, { features }) => knnGraph(tape, features, { neighbours }),
    reference: ({ features }) => reference.knnGraph(features, n, f, neighbours),
    epsilon: 1e-6,
  });
}

describe('knnGraph', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());

  const graphOf = (shape: number[], values: ArrayLike<number>, neighbours: number) => {
    const tape = engine.tape();
    const graph = knnGraph(tape, tape.constant(shape, values), { neighbours }).data.slice();
    tape.dispose();
    return graph;
  };

  it('is symmetric with entries in [0, 1] and at least κ + 1 edges per positive row', () => {
    const cases = fc.integer({ min: 2, max: 25 }).chain((n) =>
      fc.record({
        n: fc.constant(n),
        neighbours: fc.integer({ min: 1, max: n - 1 }),
        values: fc.array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: 6 * n, maxLength: 6 * n }),
      }),
    );
    fc.assert(
      fc.property(cases, ({ n, neighbours, values }) => {
        const graph = graphOf([2, n, 3], values, neighbours);
        for (let i = 0; i < n; i++) {
          for (let j = 0; j < n; j++) {
            expect(graph[i * n + j]).toBe(graph[j * n + i]);
            expect(graph[i * n + j]).toBeGreaterThanOrEqual(0);
            expect(graph[i * n + j]).toBeLessThanOrEqual(1.000001);
          }
        }
        // Non-negative features have non-negative similarities: nothing is lost to the ReLU.
        const positive = graphOf(
          [2, n, 3],
          values.map((value) => 0.1 + Math.abs(value)),
          neighbours,
        );
        for (let i = 0; i < n; i++) {
          const edges = positive.subarray(i * n, (i + 1) * n).filter((value) => value > 0).length;
          expect(edges).toBeGreaterThanOrEqual(neighbours + 1);
        }
      }),
    );
  });

  it('breaks ties in favour of the lower index and always keeps the owner itself', () => {
    const same = new Array(5).fill(1);
    // Rows keep {0,1}, {1,0}, {2,0}, {3,0}, {4,0}; mirrored.
    const rows = [
      [1, 1, 0.5, 0.5, 0.5],
      [1, 1, 0, 0, 0],
      [0.5, 0, 1, 0, 0],
      [0.5, 0, 0, 1, 0],
      [0.5, 0, 0, 0, 1],
    ];
    expect([...graphOf([1, 5, 1], same, 1)]).toEqual(rows.flat());
  });

  it('leaves out an owner whose vector is zero, without NaN in value or gradient', () => {
    const tape = engine.tape();
    const features = engine.parameter([2, 3, 1], [1, 0, 1, 1, 0, 0.5]);
    const graph = knnGraph(tape, features, { neighbours: 1 });
    expect([...graph.data.subarray(3, 6)]).toEqual([0, 0, 0]);
    expect(graph.data[0]).toBeCloseTo(1, 6);
    graph.gradient.fill(1);
    tape.replay();
    expect([features.gradient[1], features.gradient[4]]).toEqual([0, 0]);
    expect(features.gradient.every(Number.isFinite)).toBe(true);
    tape.dispose();
  });

  it('refuses features that are not [batch, owners, width]', () => {
    expect(() => knnGraph(engine.tape(), engine.buffer([4, 3]))).toThrow(
      'knnGraph features: shape must be [batch, owners, width], got [4, 3]',
    );
    expect(() => knnGraph(engine.tape(), engine.buffer([0, 30, 3]))).toThrow(
      'knnGraph features: must not be empty, got [0, 30, 3]',
    );
  });

  it('refuses as many neighbours as owners', () => {
    expect(() => knnGraph(engine.tape(), engine.buffer([2, 10, 3]))).toThrow(
      'knnGraph neighbours: must be an integer from 1 to 9 (owners − 1), got 10',
    );
  });
});
