// y = f(x + b), an activation with its bias added in the same pass: what relu and quadratic have in common

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectShape } from '../errors.ts';
import { CHUNK } from './chunk.ts';

/** How the numbers of a tensor are dealt out to tasks. */
export interface ActivationTasks {
  tasks: number;
  chunk: number;
  size: number;
  /** Address of the bias, four times over; 0 without one. */
  repeated: number;
  /** Bytes of the repeated bias. */
  bytes: number;
}

/** The two passes of an activation f. */
export interface ActivationPasses {
  name: string;
  forward(tasks: ActivationTasks, x: number, y: number): void;
  /** `dx` and `parts`, the tasks' sums for the bias, are 0 where nobody needs them. */
  backward(tasks: ActivationTasks, x: Tensor, y: Tensor, dx: number, parts: number): void;
}

/** x: [..., width], bias: [width] → [..., width] */
export function biasedActivation(tape: Tape, passes: ActivationPasses, x: Tensor, bias?: Tensor): Tensor {
  const { engine } = tape;
  const width = bias ? x.shape[x.shape.length - 1] : 1;
  if (bias) expectShape(`${passes.name} bias`, bias.shape, [width]);
  const y = tape.result(x.shape, [x, bias]);
  // Four rows of any width are whole vectors: chunks are multiples of them, and the kernel's bias row is four copies.
  const period = 4 * width;
  const chunk = Math.ceil(CHUNK / period) * period;
  const repeated = bias ? tape.scratch(period) : 0;
  if (bias) for (let copy = 0; copy < 4; copy++) engine.memory.floats(repeated, period).set(bias.data, copy * width);
  const tasks = { tasks: Math.ceil(x.size / chunk), chunk, size: x.size, repeated, bytes: period * 4 };
  passes.forward(tasks, x.address, y.address);
  tape.record(y, () => {
    const dx = x.needsGradient ? x.gradientAddress : 0;
    const parts = bias?.needsGradient ? tape.scratch(tasks.tasks * period) : 0;
    passes.backward(tasks, x, y, dx, parts);
    if (bias?.needsGradient) engine.kernels.addParts(tasks.tasks * 4, width, parts, bias.gradientAddress);
  });
  return y;
}
