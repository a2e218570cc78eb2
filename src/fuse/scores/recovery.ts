// [coordinator] How much of a known truth a model has found: linked owners by θ, permutations by P.
import { expectShape } from '../../core/errors.ts';
import { edgeProbabilities } from '../model/edge-probabilities.ts';
import { assignment } from './assignment.ts';
import { rocAuc } from './roc-auc.ts';

/**
 * Chance that a linked pair has a larger edge probability than one that is not, over pairs i < j; ties count half, 0.5 is
 * a guess. theta: [owner, owner] as learned, adjacency: [owner, owner], 1 where linked
 */
export function edgeRecovery(theta: ArrayLike<number>, adjacency: ArrayLike<number>, owners: number): number {
  expectShape('edgeRecovery theta', [theta.length], [owners * owners]);
  expectShape('edgeRecovery adjacency', [adjacency.length], [owners * owners]);
  const probabilities = edgeProbabilities(theta, owners);
  const scores: number[] = [];
  const isLinked: number[] = [];
  for (let i = 0; i < owners; i++) {
    for (let j = i + 1; j < owners; j++) {
      scores.push(probabilities[i * owners + j]);
      isLinked.push(adjacency[i * owners + j]);
    }
  }
  return rocAuc(scores, isLinked);
}

/**
 * Share of the n·d permutation entries that the alignments got right. P_i and W0 are only known up to one permutation Q
 * common to all owners (QP_i with QW0 is the same model), so the share is the largest over Q. Each P_i counts as its
 * nearest permutation: a_i = argmax_a Σ_r P_i[r, a(r)]; entry (i, r) is right when permutations[i][a_i(r)] = Q(r). Because
 * of the choice of Q, wrong alignments score more than 1/d: for 20 owners and d = 8 about a quarter.
 *
 * alignments: [owner, d, d], permutations: per owner [d], number k of its embedding is number permutation[k] of the common order
 */
export function permutationRecovery(alignments: Float32Array, permutations: readonly ArrayLike<number>[]): number {
  const owners = permutations.length;
  const d = permutations[0].length;
  expectShape('permutationRecovery alignments', [alignments.length], [owners * d * d]);
  const votes = new Float64Array(d * d);
  permutations.forEach((permutation, i) => {
    assignment(alignments.subarray(i * d * d, (i + 1) * d * d), d).forEach((k, r) => {
      votes[r * d + permutation[k]]++;
    });
  });
  const right = assignment(votes, d).reduce((sum, kind, r) => sum + votes[r * d + kind], 0);
  return right / (owners * d);
}
