import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../core/random.ts';
import { discreteGaussian } from './discrete-gaussian.ts';
import { costPerSample, noiseEmbeddings } from './noise-embeddings.ts';
import { secretNumbers } from './secret-numbers.ts';
import { costOf, epsilonOf, releaseCost } from './zcdp.ts';

/** Numbers that repeat, for tests that count. */
function repeatable(seed: number) {
  const random = new RandomStream(seed, 0);
  return secretNumbers((block) => {
    for (let i = 0; i < block.length; i++) block[i] = random.integer(256);
  });
}

/** Pearson's statistic of counts against expected counts. */
const chiSquare = (counts: number[], expected: number[]) =>
  counts.reduce((sum, count, i) => sum + (count - expected[i]) ** 2 / expected[i], 0);

describe('secret numbers', () => {
  it.each([3, 100, 257, 70_000, 2 ** 33 + 1])('below %i are uniform', (below) => {
    const draw = repeatable(below);
    const [draws, bins] = [20_000, 10];
    const counts = new Array(bins).fill(0);
    const size = Math.min(below, bins);
    for (let i = 0; i < draws; i++) counts[Math.floor((draw(below) * size) / below)]++;
    const expected = Array.from({ length: size }, (_, bin) => {
      const from = Math.ceil((bin * below) / size);
      return ((Math.ceil(((bin + 1) * below) / size) - from) * draws) / below;
    });
    // 9 degrees of freedom: 27.9 is passed by one in a thousand.
    expect(chiSquare(counts.slice(0, size), expected)).toBeLessThan(27.9);
  });

  it('come from the system by default, and refuse bounds that are none', () => {
    const [one, other] = [secretNumbers(), secretNumbers()];
    const some = (draw: typeof one) => Array.from({ length: 8 }, () => draw(2 ** 53));
    expect(some(one)).not.toEqual(some(other));
    for (const bound of [0, 1.5, -1, Number.NaN, 2 ** 54]) expect(() => one(bound)).toThrow(RangeError);
  });
});

describe('the discrete Gaussian', () => {
  it.each([1, 3])('with sigma %i has the probabilities of its definition', (sigma) => {
    const draw = repeatable(10 + sigma);
    const [draws, reach] = [40_000, 3 * sigma];
    const counts = new Array(2 * reach + 1).fill(0);
    let outside = 0;
    for (let i = 0; i < draws; i++) {
      const value = discreteGaussian(sigma, draw);
      if (Math.abs(value) > reach) outside++;
      else counts[value + reach]++;
    }
    const weight = (k: number) => Math.exp(-(k ** 2) / (2 * sigma ** 2));
    let total = 0;
    for (let k = -40 * sigma; k <= 40 * sigma; k++) total += weight(k);
    const expected = counts.map((_, i) => (weight(i - reach) / total) * draws);
    const rest = draws - expected.reduce((sum, value) => sum + value, 0);
    // 19 degrees of freedom at most: 43.8 is passed by one in a thousand.
    expect(chiSquare([...counts, outside], [...expected, rest])).toBeLessThan(43.8);
  });

  it('with a large sigma has its deviation and no bias', () => {
    const draw = repeatable(99);
    const values = Array.from({ length: 4000 }, () => discreteGaussian(1024, draw));
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
    expect(Math.abs(mean)).toBeLessThan(4 * (1024 / Math.sqrt(4000)));
    expect(deviation / 1024).toBeCloseTo(1, 1);
  });

  it.each([0, 1.5, 1025, Number.NaN])('refuses sigma %d', (sigma) => {
    expect(() => discreteGaussian(sigma, repeatable(1))).toThrow(expect.objectContaining({ code: 'F3_ARGUMENT' }));
  });
});

describe('the accountant', () => {
  // Computed apart, with 40 digits (mpmath): proposition 12 of Canonne, Kamath and Steinke minimised over a fine grid of α, and what
  // Gaussian noise really keeps (Balle, Wang 2018). Google's dp_accounting 0.6 gives the first to a few parts in a thousand, from above.
  it.each([
    [0.05, 1, 1e-5, 988.760424408, 969.645591932],
    [0.05, 1000, 1e-9, 808137.085353, 807585.694817],
    [0.365, 1, 1e-5, 39.815660955, 37.6440773139],
    [1, 1, 1e-5, 10.7248241129, 9.99725614643],
    [1, 1, 0.1, 4.89779682887, 3.80788454204],
    [1, 1000, 1e-5, 2299.86816791, 2268.76772163],
    [4, 1, 1e-5, 2.16571554518, 1.99309140442],
    [4, 10, 1e-9, 10.8028544222, 10.3213135963],
    [16, 1000, 1e-5, 25.5133117558, 23.995358987],
    [100, 1, 1e-9, 0.106489712406, 0.100436006857],
    [100, 1000, 1e-5, 2.81363218933, 2.59438338053],
    [1000, 1, 1e-5, 0.00513180729666, 0.00438545696157],
    [1000, 1000, 1e-9, 0.351087986329, 0.332197159846],
    [16, 1, 0.1, 0, 0],
  ])(
    'keeps with noise of %d lengths of the cut after %i releases, at δ %d, ε %d, where %d is exact',
    (sigma, releases, delta, bound, exact) => {
      const epsilon = epsilonOf(releases * releaseCost(2, sigma), delta);
      expect(Math.abs(epsilon - bound)).toBeLessThanOrEqual(1e-10 * bound);
      expect(epsilon).toBeGreaterThanOrEqual(exact);
    },
  );

  it('spends less than δ with the discrete noise that is drawn, at the widest shift that a sample can have', () => {
    // Theorem 7 of Canonne, Kamath and Steinke, in one dimension: 1024 steps per deviation, a shift of 2C and of a step by rounding.
    for (const noise of [0.5, 1, 4, 16]) {
      const shift = Math.round(2048 / noise) + 1;
      const epsilon = epsilonOf(costPerSample({ clip: 1, noise }, 1), 1e-5);
      let [spent, total] = [0, 0];
      for (let k = -20_480; k <= 20_480; k++) {
        const [here, there] = [k, k - shift].map((x) => Math.exp(-(x ** 2) / (2 * 1024 ** 2)));
        spent += Math.max(0, here - Math.exp(epsilon) * there);
        total += here;
      }
      expect(spent / total).toBeLessThan(1e-5);
      expect(spent / total).toBeGreaterThan(1e-6); // the bound is not idle either
    }
  });

  it('lies between what a Gaussian really keeps and the textbook bound', () => {
    for (const [rho, delta] of [
      [0.005, 1e-5],
      [0.5, 1e-6],
      [2, 1e-5],
    ]) {
      const epsilon = epsilonOf(rho, delta);
      expect(epsilon).toBeLessThan(rho + 2 * Math.sqrt(rho * Math.log(1 / delta)));
      // Balle, Wang 2018: the least δ of Gaussian noise at this ε is below the δ that is promised.
      const mu = Math.sqrt(2 * rho);
      const exact = normal(mu / 2 - epsilon / mu) - Math.exp(epsilon) * normal(-mu / 2 - epsilon / mu);
      expect(exact).toBeLessThan(delta);
      expect(exact).toBeGreaterThan(delta / 100);
    }
  });

  it('is undone by its inverse, adds up, and knows its ends', () => {
    for (const epsilon of [0.5, 1, 2, 4, 8]) expect(epsilonOf(costOf(epsilon, 1e-5), 1e-5)).toBeCloseTo(epsilon, 6);
    expect(epsilonOf(0, 1e-5)).toBe(0);
    expect(epsilonOf(Number.POSITIVE_INFINITY, 1e-5)).toBe(Number.POSITIVE_INFINITY);
    expect(epsilonOf(2 * releaseCost(1, 4), 1e-5)).toBeGreaterThan(epsilonOf(releaseCost(1, 4), 1e-5));
    expect(releaseCost(2, 1)).toBe(2);
  });
});

describe('noise on embeddings', () => {
  const width = 4;
  const rows = 500;
  const random = new RandomStream(3, 0);
  const embeddings = Float32Array.from({ length: rows * width }, () => 2 * random.normal());

  it('cuts long embeddings and adds noise of the stated size', () => {
    const options = { clip: 1, noise: 0.5 };
    const { embeddings: noised, cost, clipped } = noiseEmbeddings(embeddings, width, options, repeatable(5));
    expect(clipped).toBeGreaterThan(0.9);
    let square = 0;
    for (let row = 0; row < rows; row++) {
      const own = embeddings.subarray(row * width, (row + 1) * width);
      const length = Math.hypot(...own);
      const scale = length > 1 ? 1 / length : 1;
      for (let k = 0; k < width; k++) square += (noised[row * width + k] - own[k] * scale) ** 2;
    }
    expect(Math.sqrt(square / (rows * width))).toBeCloseTo(0.5, 1);
    expect(cost).toBe(costPerSample(options, width));
    expect(cost).toBeGreaterThan(releaseCost(2, 0.5));
    expect(cost).toBeLessThan(1.01 * releaseCost(2, 0.5));
  });

  it('hides which of two readings was there, and does not without the noise', () => {
    // The likelihood ratio tells two opposite embeddings apart: its error must be what (ε, δ) promises, and zero without noise.
    const pair = [Float32Array.of(1, 0), Float32Array.of(-1, 0)];
    const guesses = (noise: number) => {
      const draw = repeatable(8);
      let right = 0;
      for (let i = 0; i < 2000; i++) {
        const { embeddings: seen } = noiseEmbeddings(pair[i % 2], 2, { clip: 1, noise }, draw);
        if (seen[0] > 0 === (i % 2 === 0)) right++;
      }
      return right / 2000;
    };
    expect(guesses(1e-6)).toBe(1);
    expect(guesses(4)).toBeLessThan(normal(1 / 4) + 0.04);
    expect(guesses(4)).toBeGreaterThan(normal(1 / 4) - 0.04);
  });

  it('is drawn anew each time, and lies on its grid', () => {
    const options = { clip: 1, noise: 1 };
    const one = noiseEmbeddings(embeddings.subarray(0, 8), width, options).embeddings;
    expect(one).not.toEqual(noiseEmbeddings(embeddings.subarray(0, 8), width, options).embeddings);
    for (const value of one) expect(value * 1024).toBeCloseTo(Math.round(value * 1024), 3);
  });

  it.each([
    { clip: 0, noise: 1 },
    { clip: 1, noise: 0 },
    { clip: Number.NaN, noise: 1 },
    { clip: 1, noise: Number.POSITIVE_INFINITY },
  ])('refuses %o', (options) => {
    expect(() => noiseEmbeddings(embeddings, width, options)).toThrow(expect.objectContaining({ code: 'F3_ARGUMENT' }));
  });
});

/** The standard normal distribution function (Abramowitz, Stegun 7.1.26 is too coarse in the tail: a continued fraction). */
function normal(x: number): number {
  if (x > 0) return 1 - normal(-x);
  const z = -x;
  if (z < 3) {
    let [term, sum] = [z, z];
    for (let k = 1; k < 100; k++) {
      term *= -(z ** 2) / (2 * k);
      sum += term / (2 * k + 1);
    }
    return 0.5 - sum / Math.sqrt(2 * Math.PI);
  }
  let fraction = z;
  for (let k = 60; k >= 1; k--) fraction = z + k / fraction;
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI) / fraction;
}
