// Quantiles F⁻¹(θ) of the edge probabilities, in edge slots (Definition 1). Both sampling operations start from them.

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { CoreError, expectArgument, expectShape } from '../errors.ts';
import { seedKey } from '../random.ts';

/** ICDF with a normal, logistic or uniform reference, or Gumbel softmax. */
export type RelaxationKind = 'normal' | 'logistic' | 'uniform' | 'gumbel';

export interface EdgeSampling {
  relaxation: RelaxationKind;
  /** τ, above 0. */
  temperature: number;
  /** A draw is a function of (seed, stream, step, example, edge) and nothing else. */
  seed: number;
  step: number;
  /** Default 0. The Gumbel relaxation uses `stream` and `stream + 1`. */
  stream?: number;
}

/** θ is clamped to [MARGIN, 1 − MARGIN] before use; its gradient is zero where the clamp acts. */
export const MARGIN = 1e-4;

/** The numbers by which the kernels know the relaxations. */
const KINDS: Record<RelaxationKind, number> = { normal: 0, logistic: 1, uniform: 2, gumbel: 3 };

export interface EdgeQuantiles {
  n: number;
  /** Edge slots per graph; see kernels/edges.ts for their order. */
  slots: number;
  /** Address of F⁻¹(θ) per slot. */
  quantile: number;
  /** The kernels' arguments: kind, 1/τ, step, stream, seed. */
  draw: [kind: number, sharpness: number, step: number, stream: number, seed0: number, seed1: number];
  /** Adds to the gradient of θ, given the address of τ·dL/dF⁻¹ per slot. */
  backward: (dQuantile: number) => void;
}

/** theta: [n, n], of which the upper triangle counts. */
export function edgeQuantiles(tape: Tape, theta: Tensor, sampling: EdgeSampling): EdgeQuantiles {
  expectShape('edge probabilities', theta.shape, ['n', theta.shape[0]]);
  const { relaxation, temperature, seed, step, stream = 0 } = sampling;
  const kind = KINDS[relaxation];
  if (kind === undefined) {
    const known = Object.keys(KINDS).join(', ');
    throw new CoreError('F3_ARGUMENT', `relaxation: must be one of ${known}, got ${String(relaxation)}`);
  }
  expectArgument(temperature > 0 && Number.isFinite(temperature), 'temperature', 'must be positive', temperature);
  expectArgument(
    Number.isInteger(step) && step >= 0 && step < 0xffffffff,
    'step',
    'must be an integer in [0, 2^32 − 1)',
    step,
  );
  const { engine } = tape;
  const n = theta.shape[0];
  const slots = engine.kernels.edgeSlots(n);
  const rowBlocks = Math.ceil(n / 4);
  const quantile = tape.scratch(slots);
  const slope = tape.scratch(slots);
  engine.run('edgeQuantiles', rowBlocks, n, kind, MARGIN, 1 - MARGIN, theta.address, quantile, slope);
  const backward = (dQuantile: number) => {
    if (!theta.needsGradient) return;
    engine.run('edgeQuantilesBackward', rowBlocks, n, 1 / temperature, dQuantile, slope, theta.gradientAddress);
  };
  return { n, slots, quantile, draw: [kind, 1 / temperature, step, stream, ...seedKey(seed)], backward };
}
