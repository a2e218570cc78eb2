// Embedding of a sequence from its hidden states: h = Σ_t a_t·h_t + b, one weight per step shared by all units.

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectArgument, expectShape } from '../errors.ts';

const EXAMPLES = 32;
const MAX_PARTS = 32;

/** states: [batch, time, hidden], weights: [time], bias: [1] → [batch, hidden] */
export function weightedTimeSum(tape: Tape, states: Tensor, weights: Tensor, bias: Tensor): Tensor {
  expectShape('weightedTimeSum states', states.shape, ['batch', 'time', 'hidden']);
  const [batch, time, hidden] = states.shape;
  const shape = `[${states.shape.join(', ')}]`;
  expectArgument(states.size > 0, 'weightedTimeSum states', 'batch, time and hidden must be at least 1', shape);
  expectShape('weightedTimeSum weights', weights.shape, [time]);
  expectShape('weightedTimeSum bias', bias.shape, [1]);
  const { engine } = tape;
  const sums = tape.result([batch, hidden], [states, weights, bias]);
  const examples = Math.max(EXAMPLES, Math.ceil(batch / MAX_PARTS));
  const tasks = Math.ceil(batch / examples);
  const sizes = [examples, batch, time, hidden, states.address, weights.address] as const;
  engine.run('weightedTimeSum', tasks, ...sizes, bias.address, sums.address);
  tape.record(sums, () => {
    const parts = tape.scratch(tasks * (time + 1));
    const dStates = states.needsGradient ? states.gradientAddress : 0;
    engine.run('weightedTimeSumBackward', tasks, ...sizes, sums.gradientAddress, dStates, parts);
    engine.kernels.addParts(tasks - 1, time + 1, parts + 4 * (time + 1), parts);
    if (weights.needsGradient) engine.kernels.addScaled(time, 1, parts, weights.gradientAddress);
    if (bias.needsGradient) engine.kernels.addScaled(1, 1, parts + 4 * time, bias.gradientAddress);
  });
  return sums;
}
