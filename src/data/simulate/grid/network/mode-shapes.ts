// [owner] The grid's slowest natural swings: eigenvectors of M^(−1/2)·K·M^(−1/2), K the synchronising torques.
import { symmetricEigen } from '../../../../core/symmetric-eigen.ts';
import type { Plant } from '../grid.ts';
import type { ReducedNetwork } from './kron-reduction.ts';
import { SYNCHRONOUS_SPEED } from './swing-model.ts';

export interface Mode {
  /** Radians per second. */
  frequency: number;
  /** [plant]: rotor angles, the largest ±1. */
  shape: Float64Array;
}

/** The `count` slowest modes, without the one in which all rotors move as one. */
export function slowestModes(
  plants: readonly Plant[],
  emf: Float64Array,
  angle: Float64Array,
  { conductance, susceptance }: ReducedNetwork,
  count: number,
): Mode[] {
  const n = plants.length;
  const torque = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (i === j) continue;
      const delta = angle[i] - angle[j];
      // ∂P_i/∂δ_j; the conductances' part is skew and small, and drops out of the symmetric half.
      const slope =
        emf[i] * emf[j] * (conductance[i * n + j] * Math.sin(delta) - susceptance[i * n + j] * Math.cos(delta));
      torque[i * n + j] += slope / 2;
      torque[j * n + i] += slope / 2;
      torque[i * n + i] -= slope / 2;
      torque[j * n + j] -= slope / 2;
    }
  }
  const root = plants.map(({ inertia }) => Math.sqrt((2 * inertia) / SYNCHRONOUS_SPEED));
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) torque[i * n + j] /= root[i] * root[j];
  const { values, vectors } = symmetricEigen(torque, n);
  const order = Array.from(values.keys()).sort((a, b) => values[a] - values[b]);
  return order.slice(1, 1 + count).map((m) => {
    const shape = Float64Array.from(root, (r, i) => vectors[i * n + m] / r);
    const largest = shape.reduce((best, value) => Math.max(best, Math.abs(value)), 0);
    return { frequency: Math.sqrt(Math.max(values[m], 0)), shape: shape.map((value) => value / largest) };
  });
}
