import { afterAll, describe, expect, it } from 'vitest';
import { checkOp } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import { add } from './add.ts';

for (const shape of [[], [1], [3, 7], [16_384 * 2 + 3]]) {
  checkOp(`add: a + 0.3 b on [${shape}]`, {
    inputs: { a: { shape }, b: { shape } },
    op: (tape, { a, b }) => add(tape, a, b, 0.3),
    reference: ({ a, b }) => a.map((value, i) => value + 0.3 * b[i]),
  });
}

checkOp('add of a tensor to itself', {
  inputs: { a: { shape: [5] } },
  op: (tape, { a }) => add(tape, a, a),
  reference: ({ a }) => a.map((value) => 2 * value),
});

checkOp('add to a constant', {
  inputs: { a: { shape: [5], constant: true }, b: { shape: [5] } },
  op: (tape, { a, b }) => add(tape, a, b),
  reference: ({ a, b }) => a.map((value, i) => value + b[i]),
});

describe('add refuses', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());

  it('shapes that differ', () => {
    expect(() => add(engine.tape(), engine.buffer([2, 3]), engine.buffer([3, 2]))).toThrow(
      'add b: shape must be [2, 3], got [3, 2]',
    );
  });
});
