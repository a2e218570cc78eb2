import { afterAll, describe, expect, it } from 'vitest';
import { checkOp } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import { sigmoid as referenceSigmoid } from '../reference/sigmoid.ts';
import { sigmoid } from './sigmoid.ts';

for (const shape of [[3, 7], [1], [16_385 * 2]]) {
  checkOp(`sigmoid on [${shape}]`, {
    inputs: {
      x: {
        shape,
        values: (random) => Float32Array.from({ length: shape[0] * (shape[1] ?? 1) }, () => 3 * random.normal()),
      },
    },
    op: (tape, { x }) => sigmoid(tape, x),
    reference: ({ x }) => x.map(referenceSigmoid),
  });
}

describe('sigmoid of saturated inputs', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());

  it('is 0 or 1 with no slope, and keeps what is not a number', () => {
    const tape = engine.tape();
    const x = engine.parameter([4], [200, -200, 0, Number.NaN]);
    const y = sigmoid(tape, x);
    expect([...y.data]).toEqual([1, 0, 0.5, Number.NaN]);
    y.gradient.fill(1);
    tape.replay();
    expect([...x.gradient].slice(0, 3)).toEqual([0, 0, 0.25]);
  });
});
