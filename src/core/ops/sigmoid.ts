// y = 1 / (1 + e^−x)
import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { CHUNK } from './chunk.ts';

/** x: [...] → [...] */
export function sigmoid(tape: Tape, x: Tensor): Tensor {
  const y = tape.result(x.shape, [x]);
  const tasks = Math.ceil(x.size / CHUNK);
  tape.engine.run('sigmoidForward', tasks, CHUNK, x.size, x.address, y.address);
  tape.record(y, () => {
    tape.engine.run('sigmoidBackward', tasks, CHUNK, x.size, y.address, y.gradientAddress, x.gradientAddress);
  });
  return y;
}
