import { afterAll, describe, expect, it } from 'vitest';
import { checkOp } from '../../../test/support/check-op.ts';
import { Engine } from '../engine/engine.ts';
import * as reference from '../reference/causal-windows.ts';
import { causalWindows } from './causal-windows.ts';

for (const [batch, time, width, taps, dilation] of [
  [3, 7, 5, 3, 2],
  [1, 1, 1, 1, 1],
  [40, 12, 16, 3, 4],
  [700, 6, 9, 2, 1],
  [2, 3, 4, 5, 8],
]) {
  checkOp(`causalWindows of ${batch} × ${time} × ${width}, ${taps} taps ${dilation} apart`, {
    inputs: { x: { shape: [batch, time, width] } },
    op: (tape, { x }) => causalWindows(tape, x, { taps, dilation }),
    reference: ({ x }) => reference.causalWindows(x, time, width, { taps, dilation }),
  });
}

describe('causalWindows', () => {
  const engine = new Engine({ threads: 1 });
  afterAll(() => engine.dispose());
  const tape = engine.tape();
  const run = (shape: number[], taps = 3, dilation = 1) =>
    causalWindows(tape, engine.buffer(shape), { taps, dilation });

  it('sees the present step first, then earlier ones, and zeros before the first', () => {
    const x = tape.constant([1, 4, 1], [1, 2, 3, 4]);
    const y = causalWindows(tape, x, { taps: 2, dilation: 2 });
    expect([...y.data]).toEqual([1, 0, 2, 0, 3, 1, 4, 2]);
  });

  it('refuses an x without a time axis, and an empty one', () => {
    expect(() => run([4, 3])).toThrow('causalWindows x: shape must be [batch, time, width], got [4, 3]');
    expect(() => run([2, 0, 3])).toThrow('causalWindows x: batch, time and width must be at least 1, got [2, 0, 3]');
  });

  it('refuses taps and dilations that are no whole numbers from 1', () => {
    expect(() => run([2, 4, 3], 0)).toThrow('causalWindows taps: must be a whole number from 1, got 0');
    expect(() => run([2, 4, 3], 2, 1.5)).toThrow('causalWindows dilation: must be a whole number from 1, got 1.5');
  });
});
