import { afterAll, describe, expect, it } from 'vitest';
import { checkOp } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import * as reference from '../reference/weighted-time-sum.ts';
import { weightedTimeSum } from './weighted-time-sum.ts';

for (const [batch, time, hidden] of [
  [3, 5, 6],
  [1, 1, 1],
  [70, 12, 16],
  [1100, 2, 3],
]) {
  checkOp(`weightedTimeSum of ${batch} sequences, ${time} steps, ${hidden} units`, {
    inputs: { states: { shape: [batch, time, hidden] }, weights: { shape: [time] }, bias: { shape: [1] } },
    op: (tape, { states, weights, bias }) => weightedTimeSum(tape, states, weights, bias),
    reference: ({ states, weights, bias }) => reference.weightedTimeSum(states, weights, bias, hidden),
  });
}

checkOp('weightedTimeSum of states that are not learned', {
  inputs: { states: { shape: [9, 4, 5], constant: true }, weights: { shape: [4] }, bias: { shape: [1] } },
  op: (tape, { states, weights, bias }) => weightedTimeSum(tape, states, weights, bias),
  reference: ({ states, weights, bias }) => reference.weightedTimeSum(states, weights, bias, 5),
});

describe('weightedTimeSum refuses', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());
  const tape = engine.tape();
  const refusal = (states: number[], weights: number[], bias: number[]) => () =>
    weightedTimeSum(tape, engine.buffer(states), engine.buffer(weights), engine.buffer(bias));

  it('states without a time axis', () => {
    expect(refusal([4, 3], [4], [1])).toThrow(
      'weightedTimeSum states: shape must be [batch, time, hidden], got [4, 3]',
    );
  });

  it('an empty batch', () => {
    expect(refusal([0, 4, 3], [4], [1])).toThrow(
      'weightedTimeSum states: batch, time and hidden must be at least 1, got [0, 4, 3]',
    );
  });

  it('another number of weights than steps', () => {
    expect(refusal([2, 4, 3], [3], [1])).toThrow('weightedTimeSum weights: shape must be [4], got [3]');
  });

  it('a bias per unit', () => {
    expect(refusal([2, 4, 3], [4], [3])).toThrow('weightedTimeSum bias: shape must be [1], got [3]');
  });
});
