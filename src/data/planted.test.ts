import { describe, expect, it } from 'vitest';
import { simulatePlanted } from './planted.ts';

const options = { owners: 12, samples: 600, width: 6, seed: 5 };

describe('planted data', () => {
  const { embeddings, labels, truth } = simulatePlanted(options);

  it('has a symmetric graph in which every owner has at least three neighbours', () => {
    for (let i = 0; i < 12; i++) {
      let degree = 0;
      for (let j = 0; j < 12; j++) {
        expect(truth.adjacency[i * 12 + j]).toBe(truth.adjacency[j * 12 + i]);
        degree += truth.adjacency[i * 12 + j];
      }
      expect(degree).toBeGreaterThanOrEqual(3);
      expect(truth.adjacency[i * 13]).toBe(0);
    }
  });

  it('tells the class to nobody alone: the mean of every number is alike in both classes', () => {
    const sums = [new Float64Array(72), new Float64Array(72)];
    const counts = [0, 0];
    for (let s = 0; s < 600; s++) {
      counts[labels[s]]++;
      for (let k = 0; k < 72; k++) sums[labels[s]][k] += embeddings[s * 72 + k];
    }
    // Per owner the alarm rates of the classes differ by how many neighbours it has; over owners they do not.
    const patternSum = (c: number) => {
      let sum = 0;
      for (let i = 0; i < 12; i++) {
        for (let k = 0; k < 6; k++) sum += (truth.permutations[i][k] % 2 === 0 ? 1 : -1) * sums[c][i * 6 + k];
      }
      return sum / counts[c] / 6;
    };
    expect(Math.abs(patternSum(1) / patternSum(0) - 1)).toBeLessThan(0.05);
  });

  it('is the same for the same seed and another for another', () => {
    expect(simulatePlanted(options).embeddings).toEqual(embeddings);
    expect(simulatePlanted({ ...options, seed: 6 }).embeddings).not.toEqual(embeddings);
  });
});
