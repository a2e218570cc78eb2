// Gradient clipping by the global norm, min(1, maxNorm / (‖g‖ + 1e-6)) · g; the same bits for any number of threads.
import type { Engine } from '../engine/engine.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectArgument } from '../errors.ts';
import { expectLearnable } from './optimizer-arrays.ts';

/** Numbers per task: one float64 sum each, added up in their order. */
const PER_TASK = 8_192;

/**
 * Scales all gradients by min(1, maxNorm / (norm + 1e-6)), norm = √Σg² over all parameters, and returns that norm
 * (PyTorch's `clip_grad_norm_`). As in PyTorch, a norm that is not finite spoils the gradients, so a caller looks at it
 * before it steps.
 */
export function clipGradients(engine: Engine, parameters: readonly Tensor[], maxNorm: number): number {
  expectLearnable('clipGradients', parameters);
  expectArgument(maxNorm > 0, 'clipGradients maxNorm', 'must be above 0', maxNorm);
  const tasks = parameters.map((parameter) => Math.ceil(parameter.size / PER_TASK));
  const count = tasks.reduce((sum, more) => sum + more, 0);
  const parts = engine.memory.allocate(count * 8);
  let at = parts;
  parameters.forEach((p, i) => {
    engine.run('sumSquares', tasks[i], PER_TASK, p.size, p.gradientAddress, at);
    at += tasks[i] * 8;
  });
  const norm = Math.sqrt(
    new Float64Array(engine.memory.wasm.buffer, parts, count).reduce((sum, part) => sum + part, 0),
  );
  engine.memory.free(parts, count * 8);
  const scale = maxNorm / (norm + 1e-6);
  if (!(scale >= 1)) {
    parameters.forEach((p, i) => {
      engine.run('scaleNumbers', tasks[i], PER_TASK, p.size, scale, p.gradientAddress);
    });
  }
  return norm;
}
