// Reference of ops/relaxed-bernoulli.ts in float64, and of the order of edge slots (kernels/edges.ts).

import type { RelaxationKind } from '../ops/edge-quantiles.ts';
import { seedKey } from '../random.ts';
import { inverseErf } from '../theory/inverse-error-function.ts';
import { edgeNoise } from './edge-noise.ts';

/** Slot of edge (i, j), i < j, among n owners. */
export function edgeSlot(i: number, j: number, n: number): number {
  const blocks = Math.ceil(n / 4);
  const p = i >> 2;
  return 8 * p * (2 * blocks - p + 1) + (i & 3) * 4 * (blocks - p) + (j - 4 * p);
}

/** F⁻¹(θ) with θ clamped to [1e-4, 1 − 1e-4]; the logit for Gumbel. */
export function quantile(relaxation: RelaxationKind, theta: number): number {
  const t = Math.min(Math.max(theta, 1e-4), 1 - 1e-4);
  if (relaxation === 'normal') return Math.SQRT2 * inverseErf(2 * t - 1);
  return relaxation === 'uniform' ? t : Math.log(t / (1 - t));
}

/** theta: [n, n] → symmetric adjacency [n, n] of one example */
export function relaxedBernoulli(
  theta: Float64Array,
  n: number,
  relaxation: RelaxationKind,
  temperature: number,
  draw: { seed: number; step: number; stream?: number; example?: number },
): Float64Array {
  const a = new Float64Array(n * n);
  const seed = seedKey(draw.seed);
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) {
      const s = edgeNoise(relaxation, seed, edgeSlot(i, j, n), draw.example ?? 0, draw.step, draw.stream ?? 0);
      const z = 1 / (1 + Math.exp((s - quantile(relaxation, theta[i * n + j])) / temperature));
      a[i * n + j] = z;
      a[j * n + i] = z;
    }
  }
  return a;
}
