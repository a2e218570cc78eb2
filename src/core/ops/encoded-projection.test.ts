import { afterAll, describe, expect, it } from 'vitest';
import { checkOp } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import type { RandomStream } from '../random.ts';
import * as reference from '../reference/encoded-projection.ts';
import { encodedProjection } from './encoded-projection.ts';

/** Ascending edges over about (−1, 1), so that U(−1, 1) falls into every bin and past both ends. */
const ascending = (rows: number, bins: number) => (random: RandomStream) =>
  Array.from({ length: rows }, () =>
    Array.from({ length: bins + 1 }, () => 1.6 * random.uniform() - 0.8).sort((a, b) => a - b),
  ).flat();

checkOp('encoded projection', {
  inputs: {
    x: { shape: [6, 3, 5], constant: true },
    edges: { shape: [3, 5, 9], constant: true, values: ascending(15, 8) },
    weights: { shape: [3, 5, 8, 8] },
  },
  op: (tape, { x, edges, weights }) => encodedProjection(tape, x, edges, weights),
  reference: ({ x, edges, weights }) =>
    reference.encodedProjection(x, edges, weights, { owners: 3, width: 5, bins: 8, out: 8 }),
});

checkOp('encoded projection of odd sizes, with bias and absent owners', {
  inputs: {
    x: { shape: [7, 4, 3], constant: true },
    edges: { shape: [4, 3, 7], constant: true, values: ascending(12, 6) },
    weights: { shape: [4, 3, 6, 11] },
    bias: { shape: [4, 11] },
    present: {
      shape: [7, 4],
      constant: true,
      values: (random) => Float32Array.from({ length: 28 }, () => random.integer(2)),
    },
  },
  op: (tape, { x, edges, weights, bias, present }) => encodedProjection(tape, x, edges, weights, { bias, present }),
  reference: ({ x, edges, weights, bias, present }) =>
    reference.encodedProjection(x, edges, weights, { owners: 4, width: 3, bins: 6, out: 11 }, bias, present),
});

checkOp('encoded projection of one bin, and of bins without width', {
  inputs: {
    x: { shape: [3, 2, 2], constant: true, values: () => [0, 0.5, 0.5, -3, 1, 2, 0.25, 7, 0.75, 0.5, 0.5, 0] },
    edges: { shape: [2, 2, 2], constant: true, values: () => [0, 1, 0.5, 0.5, 0, 2, 0.5, 0.5] },
    weights: { shape: [2, 2, 1, 5] },
  },
  op: (tape, { x, edges, weights }) => encodedProjection(tape, x, edges, weights),
  reference: ({ x, edges, weights }) =>
    reference.encodedProjection(x, edges, weights, { owners: 2, width: 2, bins: 1, out: 5 }),
});

describe('encoded projection', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());

  it('interpolates between the sums of the bins: a code of known value', () => {
    const x = engine.buffer([5, 1, 1], [-1, 0, 1.5, 2, 5]);
    const edges = engine.buffer([1, 1, 4], [0, 1, 2, 4]);
    const weights = engine.buffer([1, 1, 3, 1], [10, 20, 40]);
    const y = encodedProjection(engine.tape(), x, edges, weights);
    // Below the edges the first bin's line goes on (−1 · 10), above them the last one's (10 + 20 + 1.5 · 40).
    expect([...y.data]).toEqual([-10, 0, 20, 30, 90]);
  });

  it('jumps above a number that is met often, and ignores a number that never varies', () => {
    const x = engine.buffer([3, 1, 2], [0.9, 3, 1, 3, 1.5, 3]);
    const edges = engine.buffer([1, 2, 4], [0, 1, 1, 2, 3, 3, 3, 3]);
    const weights = engine.buffer([1, 2, 3, 1], [10, 20, 40, 100, 100, 100]);
    const y = encodedProjection(engine.tape(), x, edges, weights);
    expect(y.data[0]).toBeCloseTo(9, 5);
    expect([y.data[1], y.data[2]]).toEqual([10, 50]);
  });

  it('refuses edges that do not fit the bins, and an input that is learned', () => {
    const [x, weights] = [engine.buffer([2, 3, 4]), engine.buffer([3, 4, 8, 2])];
    expect(() => encodedProjection(engine.tape(), x, engine.buffer([3, 4, 8]), weights)).toThrow(
      'encoded projection edges: shape must be [3, 4, 9], got [3, 4, 8]',
    );
    const edges = engine.buffer([3, 4, 9]);
    expect(() => encodedProjection(engine.tape(), engine.parameter([2, 3, 4]), edges, weights)).toThrow(
      'encoded projection input: must be a constant, got one that is learned',
    );
    const bias = engine.buffer([4, 2]);
    expect(() => encodedProjection(engine.tape(), x, edges, weights, { bias })).toThrow(
      'encoded projection bias: shape must be [3, 2], got [4, 2]',
    );
  });
});
