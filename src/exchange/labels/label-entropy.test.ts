import { describe, expect, it } from 'vitest';
import { labelEntropies, summariseEntropy } from './label-entropy.ts';

const voter = (samples: string[], ...rows: number[][]) => ({
  samples,
  classes: rows[0].length,
  probabilities: Float32Array.from(rows.flat()),
});

describe('label entropy', () => {
  const owners = [
    voter(['a', 'b', 'c'], [0.9, 0.1], [0.4, 0.6], [0.8, 0.2]),
    voter(['a', 'b'], [0.6, 0.4], [0.7, 0.3]),
    voter(['b', 'a'], [0.9, 0.1], [0.9, 0.1]),
  ];
  const result = labelEntropies(owners);

  it('is 0 where all agree, whatever their order, and counts only owners that saw the sample', () => {
    expect(result.samples).toEqual(['a', 'b', 'c']);
    expect([...result.voters]).toEqual([3, 3, 1]);
    expect([result.entropies[0], result.entropies[2]]).toEqual([0, 0]);
  });

  it('is that of the shares of votes, not of the probabilities', () => {
    const [p, q] = [1 / 3, 2 / 3];
    expect(result.entropies[1]).toBeCloseTo(-p * Math.log(p) - q * Math.log(q), 12);
  });

  it('is summarised by its mean, the share of unanimous samples and a histogram up to log(classes)', () => {
    const { samples, unanimous, histogram } = summariseEntropy(result, 2, 4);
    expect([samples, unanimous]).toEqual([3, 2 / 3]);
    expect(histogram.map(({ count }) => count)).toEqual([2, 0, 0, 1]);
    expect(histogram[3].to).toBeCloseTo(Math.log(2), 12);
  });

  it('puts an even split into the last bin', () => {
    const even = labelEntropies([voter(['a'], [1, 0]), voter(['a'], [0, 1])]);
    expect(summariseEntropy(even, 2).histogram.at(-1)?.count).toBe(1);
  });
});
