// p_c = e^{x_c} / Σ_k e^{x_k} over the last axis; probabilities to read, with no derivative (see softmaxCrossEntropy)

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectArgument } from '../errors.ts';
import { rowsPerTask } from './chunk.ts';

/** logits: [..., classes] → probabilities [..., classes], a constant */
export function softmax(tape: Tape, logits: Tensor): Tensor {
  const classes = logits.shape[logits.shape.length - 1] ?? 0;
  expectArgument(classes > 0, 'softmax logits', 'the last axis must hold at least one class', classes);
  const probabilities = tape.result(logits.shape, []);
  const rows = logits.size / classes;
  const perTask = rowsPerTask(8 * classes);
  const tasks = Math.ceil(rows / perTask);
  tape.engine.run('softmaxForward', tasks, perTask, rows, classes, logits.address, probabilities.address);
  return probabilities;
}
