import { afterAll, describe, expect, it } from 'vitest';
import { checkOp } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import * as reference from '../reference/squared-distance-correlation.ts';
import { squaredDistanceCorrelation } from './squared-distance-correlation.ts';

for (const [rows, d, k] of [
  [2, 1, 1],
  [7, 3, 5],
  [40, 2, 12],
]) {
  checkOp(`squaredDistanceCorrelation of [${rows}, ${d}] and [${rows}, ${k}]`, {
    inputs: { x: { shape: [rows, d] }, y: { shape: [rows, k], constant: true } },
    op: (tape, { x, y }) => squaredDistanceCorrelation(tape, x, y),
    reference: ({ x, y }) => reference.squaredDistanceCorrelation(x, y, rows),
  });
}

describe('squaredDistanceCorrelation', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());
  const tape = engine.tape();

  it('is 1 for the same up to scale, and 0 where one of both is constant, without a gradient', () => {
    const x = engine.parameter([3, 1], Float32Array.of(1, 2, 5));
    expect(squaredDistanceCorrelation(tape, x, engine.buffer([3, 1], [2, 4, 10])).item()).toBeCloseTo(1, 6);
    const nothing = squaredDistanceCorrelation(tape, x, engine.buffer([3, 2]));
    expect(nothing.item()).toBe(0);
    tape.backward(nothing);
    expect(Array.from(x.gradient)).toEqual([0, 0, 0]);
  });

  it('gives rows on one point no gradient from each other, and nothing that is not finite', () => {
    const x = engine.parameter([3, 1], Float32Array.of(1, 1, 5));
    tape.backward(squaredDistanceCorrelation(tape, x, engine.buffer([3, 1], [1, 2, 3])));
    expect(Array.from(x.gradient).every(Number.isFinite)).toBe(true);
  });

  it('refuses a single row, and rows of another number', () => {
    const one = () => squaredDistanceCorrelation(tape, engine.buffer([1, 3]), engine.buffer([1, 3]));
    expect(one).toThrow('squaredDistanceCorrelation x: must have two rows or more, got 1');
    const other = () => squaredDistanceCorrelation(tape, engine.buffer([2, 3]), engine.buffer([3, 2]));
    expect(other).toThrow('squaredDistanceCorrelation y: shape must be [2, 3], got [3, 2]');
  });
});
