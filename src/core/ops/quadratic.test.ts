import { afterAll, describe, expect, it } from 'vitest';
import { checkOp } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import * as reference from '../reference/quadratic.ts';
import { quadratic } from './quadratic.ts';

checkOp('quadratic without bias', {
  inputs: { x: { shape: [3, 7] } },
  op: (tape, { x }) => quadratic(tape, x),
  reference: ({ x }) => reference.quadratic(x, undefined),
});

for (const shape of [[3, 5, 7], [9, 8], [5, 1], [6], [7001, 5]]) {
  checkOp(`quadratic with a bias on [${shape}]`, {
    inputs: { x: { shape }, bias: { shape: shape.slice(-1) } },
    op: (tape, { x, bias }) => quadratic(tape, x, bias),
    reference: ({ x, bias }) => reference.quadratic(x, bias),
  });
}

checkOp('quadratic of a constant still learns its bias', {
  inputs: { x: { shape: [5, 3], constant: true }, bias: { shape: [3] } },
  op: (tape, { x, bias }) => quadratic(tape, x, bias),
  reference: ({ x, bias }) => reference.quadratic(x, bias),
});

describe('quadratic', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());

  it('adds to the gradient that is there and writes nothing past the end', () => {
    const tape = engine.tape();
    const x = engine.parameter([5], [1, 2, 3, 4, 5]);
    x.gradient.fill(10);
    const y = quadratic(tape, x);
    expect([...y.data]).toEqual([0.75, 2, 3.75, 6, 8.75]);
    y.gradient.fill(1);
    tape.replay();
    expect([...x.gradient]).toEqual([11, 11.5, 12, 12.5, 13]);
    expect(engine.memory.floats(x.address, 6)[5]).toBe(0);
  });

  it('refuses a bias of the wrong length', () => {
    const x = engine.buffer([4, 3]);
    expect(() => quadratic(engine.tape(), x, engine.buffer([4]))).toThrow('quadratic bias: shape must be [3], got [4]');
  });
});
