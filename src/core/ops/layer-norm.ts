// y = (x − mean) / √(variance + ε) ∘ gain + shift over the last axis

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectArgument, expectShape } from '../errors.ts';
import { rowsPerTask } from './chunk.ts';

/** x: [..., width], gain: [width], shift: [width] → [..., width]. The variance divides by the width. */
export function layerNorm(tape: Tape, x: Tensor, gain: Tensor, shift: Tensor, epsilon = 1e-5): Tensor {
  const { engine } = tape;
  const width = x.shape[x.shape.length - 1] ?? 0;
  expectArgument(width > 0, 'layerNorm x', 'the last axis must hold at least one number', width);
  expectShape('layerNorm gain', gain.shape, [width]);
  expectShape('layerNorm shift', shift.shape, [width]);
  expectArgument(epsilon > 0, 'layerNorm epsilon', 'must be positive', epsilon);
  const rows = x.size / width;
  const y = tape.result(x.shape, [x, gain, shift]);
  const moments = tape.scratch(2 * rows);
  const perTask = rowsPerTask(width);
  const tasks = Math.ceil(rows / perTask);
  const weights = [gain.address, shift.address] as const;
  engine.run('layerNormForward', tasks, perTask, rows, width, epsilon, x.address, ...weights, y.address, moments);
  tape.record(y, () => {
    const dx = x.needsGradient ? x.gradientAddress : 0;
    const gainParts = gain.needsGradient ? tape.scratch(tasks * width) : 0;
    const shiftParts = shift.needsGradient ? tape.scratch(tasks * width) : 0;
    const known = [x.address, gain.address, moments, y.gradientAddress] as const;
    engine.run('layerNormBackward', tasks, perTask, rows, width, ...known, dx, gainParts, shiftParts);
    if (gain.needsGradient) engine.kernels.addParts(tasks, width, gainParts, gain.gradientAddress);
    if (shift.needsGradient) engine.kernels.addParts(tasks, width, shiftParts, shift.gradientAddress);
  });
  return y;
}
