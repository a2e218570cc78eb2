import { afterAll, describe, expect, it } from 'vitest';
import { checkOp } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import { tanh } from './tanh.ts';

for (const shape of [[3, 7], [1], [16_385 * 2]]) {
  checkOp(`tanh on [${shape}]`, {
    inputs: {
      x: {
        shape,
        values: (random) => Float32Array.from({ length: shape[0] * (shape[1] ?? 1) }, () => 3 * random.normal()),
      },
    },
    op: (tape, { x }) => tanh(tape, x),
    reference: ({ x }) => x.map(Math.tanh),
  });
}

describe('tanh of saturated inputs', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());

  it('is ±1 with no slope, and keeps what is not a number', () => {
    const tape = engine.tape();
    const x = engine.parameter([5], [100, -100, Number.POSITIVE_INFINITY, 0, Number.NaN]);
    const y = tanh(tape, x);
    expect(y.data[0]).toBeCloseTo(1, 6);
    expect(y.data[1]).toBeCloseTo(-1, 6);
    expect(y.data[2]).toBeCloseTo(1, 6);
    expect(y.data[3]).toBe(0);
    expect(y.data[4]).toBeNaN();
    y.gradient.fill(1);
    tape.replay();
    expect(x.gradient[0]).toBeCloseTo(0, 6);
    expect(x.gradient[3]).toBe(1);
  });
});
