// [coordinator] The consensus graph's edge probabilities: θ clamped, its upper triangle mirrored, no self loops.
import { MARGIN } from '../../core/ops/edge-quantiles.ts';

/** theta: [owner, owner] → [owner, owner], symmetric, zero diagonal */
export function edgeProbabilities(theta: ArrayLike<number>, owners: number): Float32Array {
  const probabilities = new Float32Array(owners * owners);
  for (let i = 0; i < owners; i++) {
    for (let j = i + 1; j < owners; j++) {
      const probability = Math.min(Math.max(theta[i * owners + j], MARGIN), 1 - MARGIN);
      probabilities[i * owners + j] = probability;
      probabilities[j * owners + i] = probability;
    }
  }
  return probabilities;
}
