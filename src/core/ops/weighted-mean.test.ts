import { afterAll, describe, expect, it } from 'vitest';
import { checkOp } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import * as reference from '../reference/weighted-mean.ts';
import { weightedMean } from './weighted-mean.ts';

checkOp('weightedMean: y_b = (1/n) Σ_i w_i x_bi', {
  inputs: { x: { shape: [5, 7, 11] }, weights: { shape: [7] } },
  op: (tape, { x, weights }) => weightedMean(tape, x, weights),
  reference: ({ x, weights }) => reference.weightedMean(x, weights, 7, 11),
});

checkOp('weightedMean with weights per example, over several tasks', {
  inputs: { x: { shape: [9, 1000, 6] }, weights: { shape: [9, 1000] } },
  op: (tape, { x, weights }) => weightedMean(tape, x, weights),
  reference: ({ x, weights }) => reference.weightedMean(x, weights, 1000, 6),
});

checkOp('weightedMean with shared weights, over several tasks', {
  inputs: { x: { shape: [150, 207, 3] }, weights: { shape: [207] } },
  op: (tape, { x, weights }) => weightedMean(tape, x, weights),
  reference: ({ x, weights }) => reference.weightedMean(x, weights, 207, 3),
});

checkOp('weightedMean without weights is the plain mean', {
  inputs: { x: { shape: [3, 5, 8] } },
  op: (tape, { x }) => weightedMean(tape, x),
  reference: ({ x }) => reference.weightedMean(x, undefined, 5, 8),
});

checkOp('weightedMean of one owner of width one', {
  inputs: { x: { shape: [1, 1, 1] }, weights: { shape: [1] } },
  op: (tape, { x, weights }) => weightedMean(tape, x, weights),
  reference: ({ x, weights }) => reference.weightedMean(x, weights, 1, 1),
});

checkOp('weightedMean passes no gradient to a constant input', {
  inputs: { x: { shape: [4, 3, 5], constant: true }, weights: { shape: [4, 3] } },
  op: (tape, { x, weights }) => weightedMean(tape, x, weights),
  reference: ({ x, weights }) => reference.weightedMean(x, weights, 3, 5),
});

describe('weightedMean', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());
  const tape = engine.tape();

  it('divides by n however many owners are masked', () => {
    const x = engine.buffer([1, 4, 2], [1, 10, 2, 20, 3, 30, 4, 40]);
    expect([...weightedMean(tape, x, engine.buffer([4], [1, 0, 0, 1])).data]).toEqual([1.25, 12.5]);
    expect([...weightedMean(tape, x, engine.buffer([4], [0, 0, 0, 0])).data]).toEqual([0, 0]);
  });

  it('refuses an input that is not [batch, owners, width]', () => {
    expect(() => weightedMean(tape, engine.buffer([4, 3]))).toThrow(
      'weightedMean input: shape must be [batch, owners, width], got [4, 3]',
    );
  });

  it('refuses an empty batch', () => {
    expect(() => weightedMean(tape, engine.buffer([0, 3, 2]))).toThrow(
      'weightedMean input: must not be empty, got [0, 3, 2]',
    );
  });

  it('refuses weights that fit neither the owners nor the examples', () => {
    const x = engine.buffer([2, 3, 4]);
    for (const shape of [[4], [3, 2], [2, 3, 1]]) {
      expect(() => weightedMean(tape, x, engine.buffer(shape))).toThrow(
        `weightedMean weights: shape must be [3] or [2, 3], got [${shape.join(', ')}]`,
      );
    }
  });
});
