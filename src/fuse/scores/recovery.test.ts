import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../core/random.ts';
import { edgeRecovery, permutationRecovery } from './recovery.ts';

describe('edge recovery', () => {
  const adjacency = [0, 1, 0, 1, 0, 0, 0, 0, 0];
  it('is 1 when every link has a larger probability than every other pair, and 0 the other way round', () => {
    expect(edgeRecovery([0, 0.9, 0.1, 0, 0, 0.2, 0, 0, 0], adjacency, 3)).toBe(1);
    expect(edgeRecovery([0, 0.1, 0.9, 0, 0, 0.8, 0, 0, 0], adjacency, 3)).toBe(0);
  });

  it('reads the upper triangle only, clamped as the model does', () => {
    expect(edgeRecovery([9, 1.5, 0.1, 9, 9, 0.2, 9, 9, 9], adjacency, 3)).toBe(1);
    expect(edgeRecovery([0, -3, -1, 0, 0, -2, 0, 0, 0], adjacency, 3)).toBe(0.5);
  });
});

describe('permutation recovery', () => {
  const [owners, d] = [20, 8];
  const random = new RandomStream(3, 0);
  const permutations = Array.from({ length: owners }, () => random.permutation(d));
  /** Doubly stochastic matrices near Q·Π_i. */
  const aligned = (common: ArrayLike<number>) => {
    const matrices = new Float32Array(owners * d * d).fill(0.5 / d);
    permutations.forEach((permutation, i) => {
      permutation.forEach((kind, k) => {
        matrices[(i * d + common[kind]) * d + k] += 0.5;
      });
    });
    return matrices;
  };

  it('is 1 for the truth, and for the truth behind a permutation common to all owners', () => {
    expect(permutationRecovery(aligned([0, 1, 2, 3, 4, 5, 6, 7]), permutations)).toBe(1);
    expect(permutationRecovery(aligned(random.permutation(d)), permutations)).toBe(1);
  });

  it('loses two entries for each swap', () => {
    const matrices = aligned([0, 1, 2, 3, 4, 5, 6, 7]);
    const [first, second] = [matrices.slice(0, d), matrices.slice(d, 2 * d)];
    matrices.set(second, 0);
    matrices.set(first, d);
    expect(permutationRecovery(matrices, permutations)).toBe(1 - 2 / (owners * d));
  });

  it('is about a quarter by chance', () => {
    const noise = new Float32Array(owners * d * d);
    random.fillUniform(noise, 0, 1);
    const share = permutationRecovery(noise, permutations);
    expect(share).toBeGreaterThan(0.18);
    expect(share).toBeLessThan(0.32);
  });
});
