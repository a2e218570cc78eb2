// Graph convolution with one relaxed Bernoulli graph per example, sampled inside the operation (Eq. 8, Definition 1).

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectShape } from '../errors.ts';
import { type EdgeSampling, edgeQuantiles } from './edge-quantiles.ts';

export interface SampledGraphConvolutionOptions extends EdgeSampling {
  /** Adds another identity to the normalised graph. */
  skip: boolean;
  /** [batch, n], a constant: 1 where the owner is present. By default all are. */
  present?: Tensor;
}

export interface SampledGraphConvolution {
  /** Â_b X_b: [batch, n, h] */
  convolved: Tensor;
  /** Â_bᵀ·present_b: [batch, n]. With these weights a mean over owners equals a second convolution that is pooled. */
  pooling: Tensor;
}

/**
 * theta: [n, n], of which the upper triangle counts; x: [batch, n, h]. Between the passes only one float per edge and
 * example is kept, neither the noise nor the full matrices.
 */
export function sampledGraphConvolution(
  tape: Tape,
  theta: Tensor,
  x: Tensor,
  options: SampledGraphConvolutionOptions,
): SampledGraphConvolution {
  expectShape('sampled graph convolution input', x.shape, ['batch', theta.shape[0], 'h']);
  const [batch, n, h] = x.shape;
  const { present } = options;
  if (present) expectShape('sampled graph convolution present', present.shape, [batch, n]);
  const { slots, quantile, draw, backward } = edgeQuantiles(tape, theta, options);
  const { engine } = tape;
  const convolved = tape.result([batch, n, h], [theta, x]);
  const pooling = tape.result([batch, n], [theta, x]);
  const z = tape.scratch(batch * slots);
  const inverseRootDegree = tape.scratch(batch * 4 * Math.ceil(n / 4));
  const mask = present?.address ?? 0;
  const skip = options.skip ? 1 : 0;
  const scratchBytes = engine.kernels.sampledConvolutionScratch(n, h);
  const scratch = () => [engine.threadScratch(scratchBytes), engine.threadScratchBytes] as const;
  const outputs = [convolved.address, pooling.address, inverseRootDegree] as const;
  engine.run('sampledConvolution', batch, n, h, ...draw, quantile, z, x.address, mask, skip, ...outputs, ...scratch());

  tape.record([convolved, pooling], () => {
    const factors = tape.scratch(batch * engine.kernels.edgeFactorFloats(n, h));
    const dx = x.needsGradient ? x.gradientAddress : 0;
    const gradients = [convolved.gradientAddress, pooling.gradientAddress, dx, factors] as const;
    const inputs = [z, x.address, mask, skip] as const;
    engine.run('sampledConvolutionBackward', batch, n, h, ...inputs, ...outputs, ...gradients, ...scratch());
    if (!theta.needsGradient) return;
    const dQuantile = tape.scratch(slots);
    engine.run('edgeGradients', Math.ceil(n / 16), n, h, batch, z, factors, dQuantile);
    backward(dQuantile);
  });
  return { convolved, pooling };
}
