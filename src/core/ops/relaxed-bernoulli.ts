// One relaxed Bernoulli graph: A_ij = A_ji = σ((F⁻¹(θ_ij) − s_ij)/τ) for i < j, zero diagonal (Definition 1).
import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { type EdgeSampling, edgeQuantiles } from './edge-quantiles.ts';

/** theta: [n, n], of which the upper triangle counts → adjacency [n, n] */
export function relaxedBernoulli(tape: Tape, theta: Tensor, sampling: EdgeSampling): Tensor {
  const { n, slots, quantile, draw, backward } = edgeQuantiles(tape, theta, sampling);
  const { kernels } = tape.engine;
  const adjacency = tape.result([n, n], [theta]);
  const z = tape.scratch(slots);
  kernels.sampleEdges(0, n, ...draw, quantile, z);
  kernels.edgesToMatrix(n, z, adjacency.address);
  tape.record(adjacency, () => {
    const dQuantile = tape.scratch(slots);
    kernels.edgesToMatrixBackward(n, z, adjacency.gradientAddress, dQuantile);
    backward(dQuantile);
  });
  return adjacency;
}
