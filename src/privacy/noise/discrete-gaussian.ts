// Canonne, Kamath, Steinke 2020 (The Discrete Gaussian for Differential Privacy), algorithms 1 to 3: whole numbers k with
// probability proportional to exp(−k²/2σ²), drawn exactly. Sums of floating-point noise give the unnoised value away
// (Mironov 2012); whole numbers on a grid do not.
import { F3Error } from '../../errors.ts';
import type { SecretDraw } from './secret-numbers.ts';

/** With a larger σ, the exact fractions below would not fit into a double. */
export const LARGEST_SIGMA = 1024;
/** Beyond so many σ a fraction no longer fits and is computed with whole numbers of any length. */
const EXACT = 2 ** 53;

/** A draw with standard deviation about `sigma`, a whole number from 1 to `LARGEST_SIGMA`. */
export function discreteGaussian(sigma: number, draw: SecretDraw): number {
  if (!(Number.isInteger(sigma) && sigma >= 1 && sigma <= LARGEST_SIGMA)) {
    const rule = `sigma must be a whole number from 1 to ${LARGEST_SIGMA}`;
    throw new F3Error('F3_ARGUMENT', `discrete Gaussian: ${rule}, got ${sigma}`);
  }
  const scale = sigma + 1;
  for (;;) {
    const candidate = discreteLaplace(scale, draw);
    // exp(−(|k| − σ²/t)² / 2σ²) as a fraction of whole numbers: (|k|t − σ²)² / 2σ²t²
    const difference = Math.abs(candidate) * scale - sigma * sigma;
    if (bernoulliExp(difference, 2 * sigma * sigma * scale * scale, draw)) return candidate;
  }
}

/** k with probability proportional to exp(−|k|/scale). */
function discreteLaplace(scale: number, draw: SecretDraw): number {
  for (;;) {
    const within = draw(scale);
    if (!bernoulliExpSmall(within, scale, draw)) continue;
    let blocks = 0;
    while (bernoulliExpSmall(1, 1, draw)) blocks++;
    const magnitude = within + scale * blocks;
    const isNegative = draw(2) === 1;
    if (isNegative && magnitude === 0) continue; // otherwise zero would be drawn twice as often
    return isNegative ? -magnitude : magnitude;
  }
}

/** True with probability exp(−root² / denominator). */
function bernoulliExp(root: number, denominator: number, draw: SecretDraw): boolean {
  const square = root * root;
  // A square that does not fit is at least 2⁵³ / 2⁴¹ = 4096: whoever draws so far out is refused but for a chance of e^−4096.
  if (square > EXACT) return false;
  let rest = square;
  for (; rest > denominator; rest -= denominator) if (!bernoulliExpSmall(1, 1, draw)) return false;
  return bernoulliExpSmall(rest, denominator, draw);
}

/** True with probability exp(−numerator / denominator), for fractions up to 1 (von Neumann's alternating series). */
function bernoulliExpSmall(numerator: number, denominator: number, draw: SecretDraw): boolean {
  let k = 1;
  while (draw(denominator * k) < numerator) k++;
  return k % 2 === 1;
}
