// [owner] The grid's slowest natural swings: eigenvectors of M^(−1/2)·K·M^(−1/2), K the synchronising torques.
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

/**
 * Eigenvalues and eigenvectors (columns) of a symmetric matrix by Jacobi's cyclic rotations. Overwrites `a`: [n, n].
 */
export function symmetricEigen(a: Float64Array, n: number): { values: Float64Array; vectors: Float64Array } {
  const vectors = new Float64Array(n * n);
  for (let i = 0; i < n; i++) vectors[i * n + i] = 1;
  for (let sweep = 0; sweep < 30; sweep++) {
    let off = 0;
    let all = 0;
    for (let k = 0; k < n * n; k++) {
      all += a[k] ** 2;
      if (k % (n + 1) !== 0) off += a[k] ** 2;
    }
    if (off <= 1e-24 * all) break;
    for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) rotate(a, vectors, n, p, q);
  }
  return { values: Float64Array.from({ length: n }, (_, i) => a[i * n + i]), vectors };
}

function rotate(a: Float64Array, vectors: Float64Array, n: number, p: number, q: number): void {
  if (a[p * n + q] === 0) return;
  const theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let k = 0; k < n; k++) {
    const [x, y] = [a[k * n + p], a[k * n + q]];
    a[k * n + p] = c * x - s * y;
    a[k * n + q] = s * x + c * y;
  }
  for (let k = 0; k < n; k++) {
    const [x, y] = [a[p * n + k], a[q * n + k]];
    a[p * n + k] = c * x - s * y;
    a[q * n + k] = s * x + c * y;
    const [u, v] = [vectors[k * n + p], vectors[k * n + q]];
    vectors[k * n + p] = c * u - s * v;
    vectors[k * n + q] = s * u + c * v;
  }
}
