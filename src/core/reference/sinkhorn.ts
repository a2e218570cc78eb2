// Reference of ops/sinkhorn.ts in float64, and the recursion as the supplement prints it.
import { sigmoid } from './sigmoid.ts';

/** free: [n, d, d] → [n, d, d] */
export function sinkhorn(
  free: Float64Array,
  d: number,
  parameterisation: 'square' | 'exp',
  sweeps: number,
): Float64Array {
  const start = free.map((m) => (parameterisation === 'square' ? m * m + 1e-12 : Math.exp(sigmoid(m) / 0.01)));
  const out = new Float64Array(free.length);
  for (let at = 0; at < free.length; at += d * d) out.set(knightSweeps(start.subarray(at, at + d * d), d, sweeps), at);
  return out;
}

/** Sinkhorn–Knopp on one d×d matrix: c from r, then r from that c. */
export function knightSweeps(k0: Float64Array, d: number, sweeps: number): Float64Array {
  let r = new Float64Array(d).fill(1);
  let c = r;
  for (let t = 0; t < sweeps; t++) {
    c = columnSums(k0, r).map((sum) => 1 / sum);
    r = rowSums(k0, c).map((sum) => 1 / sum);
  }
  return scaled(k0, r, c);
}

/** The supplement's equation read literally: c and r both from the previous sweep. It does not converge. */
export function literalSweeps(k0: Float64Array, d: number, sweeps: number): Float64Array {
  let r = new Float64Array(d).fill(1);
  let c = new Float64Array(d).fill(1);
  for (let t = 0; t < sweeps; t++) {
    const next = columnSums(k0, r).map((sum) => 1 / sum);
    r = rowSums(k0, c).map((sum) => 1 / sum);
    c = next;
  }
  return scaled(k0, r, c);
}

/** Σ_i r_i K_ij */
export function columnSums(k: Float64Array, r: Float64Array): Float64Array<ArrayBuffer> {
  const d = r.length;
  return Float64Array.from({ length: d }, (_, j) => r.reduce((sum, ri, i) => sum + ri * k[i * d + j], 0));
}

/** Σ_j K_ij c_j */
export function rowSums(k: Float64Array, c: Float64Array): Float64Array<ArrayBuffer> {
  const d = c.length;
  return Float64Array.from({ length: d }, (_, i) => c.reduce((sum, cj, j) => sum + cj * k[i * d + j], 0));
}

function scaled(k0: Float64Array, r: Float64Array, c: Float64Array): Float64Array {
  const d = r.length;
  return k0.map((value, at) => r[Math.floor(at / d)] * value * c[at % d]);
}
