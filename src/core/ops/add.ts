// y = a + scale · b

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectShape } from '../errors.ts';
import { CHUNK } from './chunk.ts';

/** a, b: [...] of one shape → [...] */
export function add(tape: Tape, a: Tensor, b: Tensor, scale = 1): Tensor {
  expectShape('add b', b.shape, a.shape);
  const y = tape.result(a.shape, [a, b]);
  const tasks = Math.ceil(a.size / CHUNK);
  tape.engine.run('addTensors', tasks, CHUNK, a.size, scale, a.address, b.address, y.address);
  tape.record(y, () => {
    const passOn = (input: Tensor, share: number) => {
      if (!input.needsGradient) return;
      const to = input.gradientAddress;
      tape.engine.run('addTensors', tasks, CHUNK, a.size, share, to, y.gradientAddress, to);
    };
    passOn(a, 1);
    passOn(b, scale);
  });
  return y;
}
