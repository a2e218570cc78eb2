// y = max(0, x + b), the bias added in the same pass

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { type ActivationPasses, biasedActivation } from './biased-activation.ts';

/** x: [..., width], bias: [width] → [..., width] */
export function relu(tape: Tape, x: Tensor, bias?: Tensor): Tensor {
  const { engine } = tape;
  const passes = {
    name: 'relu',
    forward: ({ tasks, chunk, size, repeated, bytes }, from, to) =>
      engine.run('reluForward', tasks, chunk, size, from, repeated, bytes, to),
    backward: ({ tasks, chunk, size, bytes }, _, y, dx, parts) =>
      engine.run('reluBackward', tasks, chunk, size, y.address, y.gradientAddress, dx, parts, bytes),
  } satisfies ActivationPasses;
  return biasedActivation(tape, passes, x, bias);
}
