import { afterAll, describe, expect, it } from 'vitest';
import { checkOp } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import * as reference from '../reference/affine.ts';
import { affine } from './affine.ts';

checkOp('affine: y = xW + b', {
  inputs: { x: { shape: [3, 7, 5] }, weight: { shape: [5, 11] }, bias: { shape: [11] } },
  op: (tape, { x, weight, bias }) => affine(tape, x, weight, bias),
  reference: ({ x, weight, bias }) => reference.affine(x, weight, bias, 5, 11),
});

checkOp('affine without bias over many rows', {
  inputs: { x: { shape: [3000, 6] }, weight: { shape: [6, 2] } },
  op: (tape, { x, weight }) => affine(tape, x, weight),
  reference: ({ x, weight }) => reference.affine(x, weight, undefined, 6, 2),
});

describe('affine refuses', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());
  const tape = engine.tape();

  it('a weight whose rows do not match the input', () => {
    const x = engine.buffer([4, 3]);
    expect(() => affine(tape, x, engine.buffer([5, 2]))).toThrow('affine weight: shape must be [3, out], got [5, 2]');
  });

  it('a bias of the wrong length', () => {
    const x = engine.buffer([4, 3]);
    expect(() => affine(tape, x, engine.buffer([3, 2]), engine.buffer([3]))).toThrow(
      'affine bias: shape must be [2], got [3]',
    );
  });
});
