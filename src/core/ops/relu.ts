// y = max(0, x + b), the bias added in the same pass

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectShape } from '../errors.ts';
import { CHUNK } from './chunk.ts';

/** x: [..., width], bias: [width] → [..., width] */
export function relu(tape: Tape, x: Tensor, bias?: Tensor): Tensor {
  const { engine } = tape;
  const width = bias ? x.shape[x.shape.length - 1] : 1;
  if (bias) expectShape('relu bias', bias.shape, [width]);
  const y = tape.result(x.shape, [x, bias]);
  // Four rows of any width are whole vectors: chunks are multiples of them, and the kernel's bias row is four copies.
  const period = 4 * width;
  const chunk = Math.ceil(CHUNK / period) * period;
  const tasks = Math.ceil(x.size / chunk);
  const repeated = bias ? tape.scratch(period) : 0;
  if (bias) for (let copy = 0; copy < 4; copy++) engine.memory.floats(repeated, period).set(bias.data, copy * width);
  engine.run('reluForward', tasks, chunk, x.size, x.address, repeated, period * 4, y.address);
  tape.record(y, () => {
    const dx = x.needsGradient ? x.gradientAddress : 0;
    const parts = bias?.needsGradient ? tape.scratch(tasks * period) : 0;
    engine.run('reluBackward', tasks, chunk, x.size, y.address, y.gradientAddress, dx, parts, period * 4);
    if (bias?.needsGradient) engine.kernels.addParts(tasks * 4, width, parts, bias.gradientAddress);
  });
  return y;
}
