import { afterAll, describe, expect, it } from 'vitest';
import { checkOp } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import { mask } from './mask.ts';

for (const shape of [[1], [3, 7], [16_384 * 2 + 3]]) {
  checkOp(`mask of [${shape}]`, {
    inputs: { x: { shape }, present: { shape, constant: true } },
    op: (tape, { x, present }) => mask(tape, x, present),
    reference: ({ x, present }) => x.map((value, i) => value * present[i]),
  });
}

checkOp('mask of a tensor that is also used elsewhere', {
  inputs: { x: { shape: [6] }, present: { shape: [6], constant: true } },
  op: (tape, { x, present }) => mask(tape, mask(tape, x, present), present),
  reference: ({ x, present }) => x.map((value, i) => value * present[i] ** 2),
});

describe('mask refuses', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());

  it('a mask of another shape', () => {
    expect(() => mask(engine.tape(), engine.buffer([2, 3]), engine.buffer([3, 2]))).toThrow(
      'mask present: shape must be [2, 3], got [3, 2]',
    );
  });
});
