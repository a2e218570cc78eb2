import { describe, expect, it } from 'vitest';
import { RandomStream } from '../random.ts';
import { alignmentUniform, fanOutUniform, recurrentUniform, uniform } from './initialise.ts';

const stream = () => new RandomStream(5, 1);

/** Range, mean and variance of U(low, high), within five standard errors. */
function expectUniform(values: Float32Array, low: number, high: number): void {
  const [width, count] = [high - low, values.length];
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / count;
  expect(Math.min(...values)).toBeGreaterThanOrEqual(Math.fround(low));
  expect(Math.max(...values)).toBeLessThanOrEqual(Math.fround(high));
  expect(Math.abs(mean - (low + high) / 2)).toBeLessThan((5 * width) / Math.sqrt(12 * count));
  expect(Math.abs(variance / (width ** 2 / 12) - 1)).toBeLessThan(5 * Math.sqrt(0.8 / count));
}

describe('first values', () => {
  it('of recurrent weights are U(±1/√hidden)', () => {
    const values = recurrentUniform(stream(), [207, 16, 64], 16);
    expect(values.length).toBe(207 * 16 * 64);
    expectUniform(values.subarray(0, 50_000), -0.25, 0.25);
  });

  it('of graph convolutions are U(±1/√fan out)', () => {
    expectUniform(fanOutUniform(stream(), [4096, 4], 4), -0.5, 0.5);
  });

  it('of alignments are U(±√(6/(d·d + n·d))), ±0.041 for METR-LA', () => {
    const values = alignmentUniform(stream(), 207, 16);
    expect(values.length).toBe(207 * 256);
    const bound = Math.sqrt(6 / (16 * 16 + 207 * 16));
    expect(bound).toBeCloseTo(0.041, 4);
    expectUniform(values, -bound, bound);
  });

  it('of rectangular alignments follow the same rule: U(±√(6/(from·to + n·to)))', () => {
    const values = alignmentUniform(stream(), 50, 24, 16);
    expect(values.length).toBe(50 * 24 * 16);
    const bound = Math.sqrt(6 / (24 * 16 + 50 * 16));
    expectUniform(values, -bound, bound);
  });

  it('of edge probabilities are U(0, 1)', () => {
    expectUniform(uniform(stream(), [207, 207], 0, 1), 0, 1);
  });

  it('follow from the random stream alone', () => {
    expect(uniform(stream(), [3, 5], -1, 1)).toEqual(uniform(stream(), [15], -1, 1));
    expect(uniform(new RandomStream(6, 1), [15], -1, 1)).not.toEqual(uniform(stream(), [15], -1, 1));
  });

  it('need finite bounds in order', () => {
    expect(() => recurrentUniform(stream(), [2], 0)).toThrow(
      'uniform: must have finite bounds, low below high, got -Infinity and Infinity',
    );
  });
});
