// y = [x₁ | x₂ | …] along the last axis

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectArgument, expectShape } from '../errors.ts';
import { rowsPerTask } from './chunk.ts';

/** tensors: [..., widthᵢ] with all other axes equal → [..., Σ widthᵢ] */
export function concatenate(tape: Tape, tensors: readonly Tensor[]): Tensor {
  expectArgument(tensors.length > 0, 'concatenate tensors', 'there must be at least one', tensors.length);
  const rank = tensors[0].shape.length;
  expectArgument(rank > 0, 'concatenate tensor 0', 'must have at least one axis', 'a scalar');
  const leading = tensors[0].shape.slice(0, -1);
  const widths = tensors.map((x, i) => {
    expectShape(`concatenate tensor ${i}`, x.shape, [...leading, 'width']);
    return x.shape[rank - 1];
  });
  const total = widths.reduce((sum, width) => sum + width, 0);
  const y = tape.result([...leading, total], tensors);
  const rows = leading.reduce((product, length) => product * length, 1);
  const perTask = rowsPerTask(total);
  const tasks = Math.ceil(rows / perTask);
  const starts = widths.map((_, i) => 4 * widths.slice(0, i).reduce((sum, width) => sum + width, 0));
  tensors.forEach((x, i) => {
    const [from, to] = [widths[i] * 4, total * 4];
    tape.engine.run('copyColumns', tasks, perTask, rows, widths[i], x.address, from, y.address + starts[i], to);
  });
  tape.record(y, () => {
    const dy = y.gradientAddress;
    tensors.forEach((x, i) => {
      if (!x.needsGradient) return;
      const [from, to] = [total * 4, widths[i] * 4];
      tape.engine.run('addColumns', tasks, perTask, rows, widths[i], dy + starts[i], from, x.gradientAddress, to);
    });
  });
  return y;
}
