import { afterAll, describe, expect, it } from 'vitest';
import { expectClose } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import { RandomStream } from '../random.ts';
import * as reference from '../reference/softmax.ts';
import { softmax } from './softmax.ts';

describe('softmax', () => {
  const engine = new Engine({ threads: 3 });
  afterAll(() => engine.dispose());
  const tape = engine.inferenceTape();

  it('computes the reference value for any number of classes', () => {
    const random = new RandomStream(3, 0);
    for (const [rows, classes] of [
      [1, 1],
      [5, 2],
      [7, 3],
      [3000, 5],
      [3, 17],
    ]) {
      const values = Float32Array.from({ length: rows * classes }, () => 4 * random.normal());
      const y = softmax(tape, tape.constant([rows, classes], values));
      expect(y.needsGradient).toBe(false);
      expectClose(y.data, reference.softmax(Float64Array.from(values), classes), 1e-6, `${rows}×${classes}`);
    }
  });

  it('survives logits that overflow the exponential', () => {
    const y = softmax(tape, tape.constant([2, 2], [1000, 1000, -1000, 1000]));
    expect([...y.data]).toEqual([0.5, 0.5, 0, 1]);
  });

  it('refuses logits without classes', () => {
    expect(() => softmax(tape, engine.buffer([3, 0]))).toThrow(
      'softmax logits: the last axis must hold at least one class, got 0',
    );
  });
});
