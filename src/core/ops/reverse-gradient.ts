// Ganin, Lempitsky 2015: y = x on the way forward, ∂x = −weight · ∂y on the way back, so that one step trains a reader and its opponent.

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectArgument } from '../errors.ts';

/** x: [...] → [...], the same numbers */
export function reverseGradient(tape: Tape, x: Tensor, weight: number): Tensor {
  expectArgument(weight > 0, 'reverseGradient weight', 'must be above 0', weight);
  const y = tape.result(x.shape, [x]);
  y.data.set(x.data);
  tape.record(y, () => {
    const [from, to] = [y.gradient, x.gradient];
    for (let at = 0; at < to.length; at++) to[at] -= weight * from[at];
  });
  return y;
}
