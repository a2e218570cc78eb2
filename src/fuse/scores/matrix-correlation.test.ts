import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../core/random.ts';
import { isUnrelated, matrixCorrelation } from './matrix-correlation.ts';

const OWNERS = 15;

function symmetric(value: (i: number, j: number) => number): Float64Array {
  const matrix = new Float64Array(OWNERS * OWNERS);
  for (let i = 0; i < OWNERS; i++) {
    for (let j = i + 1; j < OWNERS; j++) {
      matrix[i * OWNERS + j] = value(i, j);
      matrix[j * OWNERS + i] = matrix[i * OWNERS + j];
    }
  }
  return matrix;
}

const noise = (seed: number) => {
  const random = new RandomStream(seed, 1);
  return symmetric(() => random.uniform());
};
const distance = symmetric((i, j) => Math.abs(i - j));

describe('correlation of matrices over owners', () => {
  it('is Spearman’s: 1 for any rising function of the same, −1 for a falling one', () => {
    const a = noise(1);
    const of = (b: Float64Array) => matrixCorrelation(a, b, OWNERS, { seed: 1 });
    expect(of(a.map((value) => value ** 3)).correlation).toBeCloseTo(1, 12);
    expect(of(a.map((value) => -value)).correlation).toBeCloseTo(-1, 12);
    expect(isUnrelated(of(a))).toBe(false);
  });

  it('is what scipy.stats.spearmanr says, ties included', () => {
    // spearmanr([1, 2, 2, 4, 5, 6], [2, 1, 3, 3, 6, 5]) of SciPy 1.17
    const [x, y] = [
      [1, 2, 2, 4, 5, 6],
      [2, 1, 3, 3, 6, 5],
    ];
    const four = (values: number[]) => {
      const pairs = [
        [0, 1],
        [0, 2],
        [0, 3],
        [1, 2],
        [1, 3],
        [2, 3],
      ];
      const matrix = new Float64Array(16);
      pairs.forEach(([i, j], k) => {
        matrix[i * 4 + j] = values[k];
        matrix[j * 4 + i] = values[k];
      });
      return matrix;
    };
    expect(matrixCorrelation(four(x), four(y), 4, { seed: 1 }).correlation).toBeCloseTo(0.8088235294117647, 12);
  });

  it('calls noise unrelated in about 95 of 100 cases', () => {
    let unrelated = 0;
    for (let seed = 1; seed <= 200; seed++) {
      if (isUnrelated(matrixCorrelation(noise(seed), distance, OWNERS, { seed, shuffles: 200 }))) unrelated++;
    }
    expect(unrelated / 200).toBeGreaterThan(0.9);
    expect(unrelated / 200).toBeLessThan(0.99);
  });

  it('has no value where a side is the same for all pairs', () => {
    expect(
      matrixCorrelation(
        noise(1),
        symmetric(() => 1),
        OWNERS,
        { seed: 1 },
      ).correlation,
    ).toBeNaN();
  });

  it('refuses matrices of another size', () => {
    expect(() => matrixCorrelation([1, 2], distance, OWNERS, { seed: 1 })).toThrow('matrixCorrelation a');
  });
});
