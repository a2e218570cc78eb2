// y = ¼z² + ½z with z = x + b: an activation without comparisons, so that it can be computed on shares

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectShape } from '../errors.ts';
import { CHUNK } from './chunk.ts';

/** x: [..., width], bias: [width] → [..., width] */
export function quadratic(tape: Tape, x: Tensor, bias?: Tensor): Tensor {
  const { engine } = tape;
  const width = bias ? x.shape[x.shape.length - 1] : 1;
  if (bias) expectShape('quadratic bias', bias.shape, [width]);
  const y = tape.result(x.shape, [x, bias]);
  // Four rows of any width are whole vectors: chunks are multiples of them, and the kernel's bias row is four copies.
  const period = 4 * width;
  const chunk = Math.ceil(CHUNK / period) * period;
  const tasks = Math.ceil(x.size / chunk);
  const repeated = bias ? tape.scratch(period) : 0;
  if (bias) for (let copy = 0; copy < 4; copy++) engine.memory.floats(repeated, period).set(bias.data, copy * width);
  engine.run('quadraticForward', tasks, chunk, x.size, x.address, repeated, period * 4, y.address);
  tape.record(y, () => {
    const dx = x.needsGradient ? x.gradientAddress : 0;
    const parts = bias?.needsGradient ? tape.scratch(tasks * period) : 0;
    const inputs = [x.address, repeated, y.gradientAddress] as const;
    engine.run('quadraticBackward', tasks, chunk, x.size, ...inputs, dx, parts, period * 4);
    if (bias?.needsGradient) engine.kernels.addParts(tasks * 4, width, parts, bias.gradientAddress);
  });
  return y;
}
