import { afterAll, describe, expect, it } from 'vitest';
import { checkOp } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import * as reference from '../reference/squared-error.ts';
import { squaredError } from './squared-error.ts';

for (const shape of [[1], [3, 7], [50, 12, 3], [170, 100]]) {
  checkOp(`squaredError of [${shape.join(', ')}]`, {
    inputs: { x: { shape }, target: { shape, constant: true } },
    op: (tape, { x, target }) => squaredError(tape, x, target),
    reference: ({ x, target }) => reference.squaredError(x, target),
  });
}

describe('squaredError refuses', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());
  const tape = engine.tape();

  it('a target of another shape', () => {
    const run = () => squaredError(tape, engine.buffer([2, 3]), engine.buffer([3, 2]));
    expect(run).toThrow('squaredError target: shape must be [2, 3], got [3, 2]');
  });

  it('nothing at all', () => {
    const run = () => squaredError(tape, engine.buffer([0, 3]), engine.buffer([0, 3]));
    expect(run).toThrow('squaredError x: must hold at least one number, got 0');
  });
});
