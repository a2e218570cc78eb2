// y[e, t] = [x[e, t] | x[e, t − s] | x[e, t − 2s] | …] with zeros before the first step: a matrix product with weights
// [taps · width, out] is then a causal convolution of dilation s.

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectArgument, expectShape } from '../errors.ts';
import { rowsPerTask } from './chunk.ts';

export interface CausalWindow {
  /** Steps that are seen at once, the present one included. */
  taps: number;
  /** Steps between two of them. */
  dilation: number;
}

/** x: [batch, time, width] → [batch, time, taps · width] */
export function causalWindows(tape: Tape, x: Tensor, { taps, dilation }: CausalWindow): Tensor {
  expectShape('causalWindows x', x.shape, ['batch', 'time', 'width']);
  const [batch, time, width] = x.shape;
  expectArgument(x.size > 0, 'causalWindows x', 'batch, time and width must be at least 1', `[${x.shape.join(', ')}]`);
  for (const [name, value] of Object.entries({ taps, dilation })) {
    expectArgument(
      Number.isInteger(value) && value > 0,
      `causalWindows ${name}`,
      'must be a whole number from 1',
      value,
    );
  }
  const y = tape.result([batch, time, taps * width], [x]);
  const examples = rowsPerTask(time * taps * width);
  const tasks = Math.ceil(batch / examples);
  const sizes = [examples, batch, time, width, taps, dilation] as const;
  tape.engine.run('causalWindows', tasks, ...sizes, x.address, y.address);
  tape.record(y, () => {
    tape.engine.run('causalWindowsBackward', tasks, ...sizes, y.gradientAddress, x.gradientAddress);
  });
  return y;
}
