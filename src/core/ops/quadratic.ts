// y = ¼z² + ½z with z = x + b: an activation without comparisons, so that it can be computed on shares

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { type ActivationPasses, biasedActivation } from './biased-activation.ts';

/** x: [..., width], bias: [width] → [..., width] */
export function quadratic(tape: Tape, x: Tensor, bias?: Tensor): Tensor {
  const { engine } = tape;
  const passes = {
    name: 'quadratic',
    forward: ({ tasks, chunk, size, repeated, bytes }, from, to) =>
      engine.run('quadraticForward', tasks, chunk, size, from, repeated, bytes, to),
    backward: ({ tasks, chunk, size, repeated, bytes }, input, y, dx, parts) => {
      const inputs = [input.address, repeated, y.gradientAddress] as const;
      engine.run('quadraticBackward', tasks, chunk, size, ...inputs, dx, parts, bytes);
    },
  } satisfies ActivationPasses;
  return biasedActivation(tape, passes, x, bias);
}
