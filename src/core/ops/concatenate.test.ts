import { afterAll, describe, expect, it } from 'vitest';
import { checkOp } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import * as reference from '../reference/concatenate.ts';
import { concatenate } from './concatenate.ts';

checkOp('concatenate along the last axis', {
  inputs: { a: { shape: [3, 2, 5] }, b: { shape: [3, 2, 1] }, c: { shape: [3, 2, 4] } },
  op: (tape, { a, b, c }) => concatenate(tape, [a, b, c]),
  reference: ({ a, b, c }) => reference.concatenate([a, b, c], [5, 1, 4]),
});

checkOp('concatenate over several tasks, one input constant', {
  inputs: { a: { shape: [4001, 3], constant: true }, b: { shape: [4001, 6] } },
  op: (tape, { a, b }) => concatenate(tape, [a, b]),
  reference: ({ a, b }) => reference.concatenate([a, b], [3, 6]),
});

checkOp('concatenate one vector with itself', {
  inputs: { a: { shape: [3] } },
  op: (tape, { a }) => concatenate(tape, [a, a]),
  reference: ({ a }) => reference.concatenate([a, a], [3, 3]),
});

describe('concatenate', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());
  const tape = engine.tape();

  it('keeps all axes but the last', () => {
    expect(concatenate(tape, [engine.buffer([2, 3, 4]), engine.buffer([2, 3, 1])]).shape).toEqual([2, 3, 5]);
  });

  it('refuses tensors whose other axes differ', () => {
    expect(() => concatenate(tape, [engine.buffer([2, 3]), engine.buffer([3, 3])])).toThrow(
      'concatenate tensor 1: shape must be [2, width], got [3, 3]',
    );
  });

  it('refuses nothing to concatenate and scalars', () => {
    expect(() => concatenate(tape, [])).toThrow('concatenate tensors: there must be at least one, got 0');
    expect(() => concatenate(tape, [engine.buffer([])])).toThrow(
      'concatenate tensor 0: must have at least one axis, got a scalar',
    );
  });
});
