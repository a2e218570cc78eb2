// K_T = diag(r_T) K₀ diag(c_T), c = 1⊘(K₀ᵀr), r = 1⊘(K₀c): hard alignment (Supplement, Eq. "knight")

import type { Tape } from '../engine/tape.ts';
import type { Tensor } from '../engine/tensor.ts';
import { expectArgument, expectShape } from '../errors.ts';

export interface SinkhornOptions {
  /**
   * How the non-negative K₀ comes from the free matrix M.
   * `square`: K₀ = M∘M + 1e-12. The constant is lost in the rounding of rows as they are drawn or learned (sums of 1e-4
   * and more). It makes K₀ positive, so that the sweeps always converge, and where M is exactly zero, in a row or all
   * over, the mass is spread evenly instead of NaN; zeros of M have no gradient.
   * `exp`: K₀ = exp((sigmoid(M) − ½)/0.01). The ½ is ours: a common factor of K₀ cancels in the first sweep, and
   * exp(1/0.01) is past what float32 holds. Where a whole row of sigmoid(M) lies more than 0.85 below all others, its
   * sums fall under 1e-37 and are taken as that: the row then sums to less than 1, but nothing becomes infinite.
   */
  parameterisation: 'square' | 'exp';
  /** T. Default 10. */
  sweeps?: number;
}

/** About 30 µs of work. */
const MULTIPLY_ADDS_PER_TASK = 100_000;

/**
 * free: [n, d, d] → K_T: [n, d, d], rows summing to 1 and columns nearly so, one matrix per owner.
 *
 * Each sweep uses the c it has just made (Sinkhorn–Knopp as Knight states it). The supplement prints
 * r_{j+1} = 1⊘(K₀c_j), from the old c: then (r₀, c₁, r₂, …) and (c₀, r₁, c₂, …) are two chains that never meet, K_j
 * ends up alternating between λP and P/λ, and the error beside λ falls like σ₂^j, not σ₂^{2j}. From K₀ = 3P with P
 * doubly stochastic it alternates P/3, 3P for ever (`reference/sinkhorn.ts` has both, the tests show it).
 */
export function sinkhorn(tape: Tape, free: Tensor, options: SinkhornOptions): Tensor {
  const { parameterisation, sweeps = 10 } = options;
  const [owners, d] = free.shape;
  expectShape('sinkhorn free matrices', free.shape, ['owners', d ?? 'd', d ?? 'd']);
  expectArgument(free.size > 0, 'sinkhorn free matrices', 'must not be empty', `[${free.shape.join(', ')}]`);
  expectArgument(Number.isInteger(sweeps) && sweeps >= 1, 'sinkhorn sweeps', 'must be a positive integer', sweeps);
  const kind = ['square', 'exp'].indexOf(parameterisation);
  expectArgument(kind >= 0, 'sinkhorn parameterisation', "must be 'square' or 'exp'", parameterisation);
  const { engine } = tape;
  const perTask = Math.ceil(MULTIPLY_ADDS_PER_TASK / (2 * sweeps * d * d));
  const tasks = Math.ceil(owners / perTask);
  const sizes = [perTask, owners, d, kind, sweeps] as const;
  const scratchBytes = engine.kernels.sinkhornScratch(d, sweeps);
  const scratch = () => [engine.threadScratch(scratchBytes), engine.threadScratchBytes] as const;
  const history = tape.scratch(owners * sweeps * 2 * Math.ceil(d / 4) * 4);
  const out = tape.result(free.shape, [free]);
  engine.run('sinkhorn', tasks, ...sizes, free.address, out.address, history, ...scratch());
  tape.record(out, () => {
    const gradients = [out.gradientAddress, free.gradientAddress] as const;
    engine.run('sinkhornBackward', tasks, ...sizes, free.address, history, ...gradients, ...scratch());
  });
  return out;
}
