// o_i = Σ_j softmax_j(q_i·k_j / √w) v_j per head of width w, over the owners j that are present

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectArgument, expectShape } from '../errors.ts';

export interface SelfAttentionOptions {
  /** Number of heads; divides d. Head h is the columns h·d/heads … (h + 1)·d/heads − 1. */
  heads: number;
  /** [batch, n], a constant: nobody attends to an owner whose number is 0. Where all are absent the output is 0. */
  present?: Tensor | undefined;
}

/** With fewer examples than this, the heads of one example go to different threads. */
const FEW_EXAMPLES = 8;
/** Pairs of example and head that a launch can hand out one by one. */
const MOST_TASKS = 16_384;

/** queries, keys, values: [batch, n, d] → [batch, n, d]. Projections are `affine`s outside. */
export function selfAttention(
  tape: Tape,
  queries: Tensor,
  keys: Tensor,
  values: Tensor,
  { heads, present }: SelfAttentionOptions,
): Tensor {
  const { engine } = tape;
  expectShape('selfAttention queries', queries.shape, ['batch', 'n', 'd']);
  const [batch, n, d] = queries.shape;
  expectShape('selfAttention keys', keys.shape, [batch, n, d]);
  expectShape('selfAttention values', values.shape, [batch, n, d]);
  if (present) expectShape('selfAttention present', present.shape, [batch, n]);
  const divides = Number.isInteger(heads) && heads > 0 && d > 0 && d % heads === 0;
  expectArgument(divides, 'selfAttention heads', `must be a positive divisor of the width ${d}`, heads);

  const width = d / heads;
  const pairs = batch * heads;
  // Heads of one example share cache lines: they go to one thread unless there are few examples.
  const perTask = Math.max(batch < FEW_EXAMPLES ? 1 : heads, Math.ceil(pairs / MOST_TASKS));
  const tasks = Math.ceil(pairs / perTask);
  const output = tape.result([batch, n, d], [queries, keys, values]);
  const logSums = tape.scratch(pairs * n);
  const sizes = [perTask, pairs, n, heads, width] as const;
  const inputs = [queries.address, keys.address, values.address, present?.address ?? 0] as const;
  const bytes = engine.kernels.selfAttentionScratch(n, width);
  const scratch = () => [engine.threadScratch(bytes), engine.threadScratchBytes] as const;
  engine.run('selfAttentionForward', tasks, ...sizes, ...inputs, output.address, logSums, ...scratch());
  tape.record(output, () => {
    const kept = [output.address, logSums, output.gradientAddress] as const;
    const [dq, dk, dv] = [queries, keys, values].map((input) => (input.needsGradient ? input.gradientAddress : 0));
    engine.run('selfAttentionBackward', tasks, ...sizes, ...inputs, ...kept, dq, dk, dv, ...scratch());
  });
  return output;
}
