// y = x ∘ m: numbers of whoever is absent become zero

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectShape } from '../errors.ts';
import { CHUNK } from './chunk.ts';

/** x, present: [...] of one shape → [...]. `present` is a constant, 1 where a number counts and 0 where it does not. */
export function mask(tape: Tape, x: Tensor, present: Tensor): Tensor {
  expectShape('mask present', present.shape, x.shape);
  const y = tape.result(x.shape, [x]);
  const tasks = Math.ceil(x.size / CHUNK);
  tape.engine.run('multiplyTensors', tasks, CHUNK, x.size, 0, x.address, present.address, y.address);
  tape.record(y, () => {
    const to = x.gradientAddress;
    tape.engine.run('multiplyTensors', tasks, CHUNK, x.size, 1, y.gradientAddress, present.address, to);
  });
  return y;
}
