import { afterAll, describe, expect, it } from 'vitest';
import { checkOp } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import * as reference from '../reference/relu.ts';
import { relu } from './relu.ts';

checkOp('relu without bias', {
  inputs: { x: { shape: [3, 7] } },
  op: (tape, { x }) => relu(tape, x),
  reference: ({ x }) => reference.relu(x, undefined),
});

for (const shape of [[3, 5, 7], [9, 8], [5, 1], [6]]) {
  checkOp(`relu with a bias on [${shape}]`, {
    inputs: { x: { shape }, bias: { shape: shape.slice(-1) } },
    op: (tape, { x, bias }) => relu(tape, x, bias),
    reference: ({ x, bias }) => reference.relu(x, bias),
  });
}

checkOp('relu over several tasks', {
  inputs: { x: { shape: [7001, 5] }, bias: { shape: [5] } },
  op: (tape, { x, bias }) => relu(tape, x, bias),
  reference: ({ x, bias }) => reference.relu(x, bias),
});

checkOp('relu of a constant still learns its bias', {
  inputs: { x: { shape: [5, 3], constant: true }, bias: { shape: [3] } },
  op: (tape, { x, bias }) => relu(tape, x, bias),
  reference: ({ x, bias }) => reference.relu(x, bias),
});

describe('relu', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());

  it('passes no gradient at 0 and keeps what is not a number', () => {
    const tape = engine.tape();
    const x = engine.parameter([3], [0, Number.NaN, 2]);
    const y = relu(tape, x);
    expect([...y.data]).toEqual([0, Number.NaN, 2]);
    y.gradient.fill(1);
    tape.replay();
    expect(x.gradient[0]).toBe(0);
    expect(x.gradient[2]).toBe(1);
  });

  it('adds to the gradient that is there and writes nothing past the end', () => {
    const tape = engine.tape();
    const x = engine.parameter([5], [1, 2, 3, 4, 5]);
    x.gradient.fill(10);
    const y = relu(tape, x);
    y.gradient.set([1, 2, 3, 4, 5]);
    tape.replay();
    expect([...x.gradient]).toEqual([11, 12, 13, 14, 15]);
    expect(engine.memory.floats(x.address, 6)[5]).toBe(0);
  });

  it('refuses a bias of the wrong length', () => {
    const x = engine.buffer([4, 3]);
    expect(() => relu(engine.tape(), x, engine.buffer([4]))).toThrow('relu bias: shape must be [3], got [4]');
  });
});
