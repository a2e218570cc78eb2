import { afterAll, describe, expect, it } from 'vitest';
import { checkOp } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import * as reference from '../reference/per-owner-affine.ts';
import { perOwnerAffine } from './per-owner-affine.ts';

checkOp('per-owner affine: square alignment y_i = P_i h_i', {
  inputs: { x: { shape: [5, 3, 6] }, matrices: { shape: [3, 6, 6] } },
  op: (tape, { x, matrices }) => perOwnerAffine(tape, x, matrices),
  reference: ({ x, matrices }) => reference.perOwnerAffine(x, matrices, undefined, 3, 6, 6),
});

checkOp('per-owner affine: rectangular, with bias', {
  inputs: { x: { shape: [9, 7, 5] }, matrices: { shape: [7, 13, 5] }, bias: { shape: [7, 13] } },
  op: (tape, { x, matrices, bias }) => perOwnerAffine(tape, x, matrices, bias),
  reference: ({ x, matrices, bias }) => reference.perOwnerAffine(x, matrices, bias, 7, 5, 13),
});

describe('per-owner affine refuses', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());

  it('one matrix too few', () => {
    const x = engine.buffer([2, 3, 4]);
    expect(() => perOwnerAffine(engine.tape(), x, engine.buffer([2, 4, 4]))).toThrow(
      'per-owner affine matrices: shape must be [3, out, 4], got [2, 4, 4]',
    );
  });

  it('an input without an owner axis', () => {
    expect(() => perOwnerAffine(engine.tape(), engine.buffer([2, 4]), engine.buffer([2, 4, 4]))).toThrow(
      'per-owner affine input: shape must be [batch, owner, in], got [2, 4]',
    );
  });
});
