// Reference of ops/sampled-graph-convolution.ts in float64: sample, normalise, multiply, one example after the other.
import type { RelaxationKind } from '../ops/edge-quantiles.ts';
import { relaxedBernoulli } from './relaxed-bernoulli.ts';

interface ReferenceOptions {
  n: number;
  h: number;
  relaxation: RelaxationKind;
  temperature: number;
  seed: number;
  step: number;
  skip: boolean;
  present?: Float64Array;
}

/** theta: [n, n], x: [batch, n, h] → convolved [batch, n, h] and pooling [batch, n] */
export function sampledGraphConvolution(
  theta: Float64Array,
  x: Float64Array,
  options: ReferenceOptions,
): Float64Array[] {
  const { n, h, skip, present } = options;
  const batch = x.length / (n * h);
  const convolved = new Float64Array(x.length);
  const pooling = new Float64Array(batch * n);
  for (let b = 0; b < batch; b++) {
    const graph = relaxedBernoulli(theta, n, options.relaxation, options.temperature, { ...options, example: b });
    for (let i = 0; i < n; i++) graph[i * n + i] = 1;
    const root = Float64Array.from({ length: n }, (_, i) => {
      let degree = 0;
      for (let j = 0; j < n; j++) degree += graph[i * n + j];
      return 1 / Math.sqrt(degree);
    });
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < n; j++) {
        const weight = root[i] * graph[i * n + j] * root[j] + (skip && i === j ? 1 : 0);
        for (let k = 0; k < h; k++) convolved[(b * n + i) * h + k] += weight * x[(b * n + j) * h + k];
        pooling[b * n + j] += weight * (present ? present[b * n + i] : 1);
      }
    }
  }
  return [convolved, pooling];
}
