import { describe, expect, it } from 'vitest';
import { RandomStream } from '../../core/random.ts';
import { f1Score } from './confusion.ts';
import { isWithinChance, pairedDifference } from './paired-difference.ts';

const CLASSES = 3;

/** Labels, and a function that predicts them right with the given chance. */
function scene(samples: number, seed: number) {
  const random = new RandomStream(seed, 1);
  const labels = Int32Array.from({ length: samples }, () => random.integer(CLASSES));
  const guesses = (chance: number) =>
    labels.map((label) => (random.uniform() < chance ? label : (label + 1 + random.integer(2)) % CLASSES));
  return { labels, guesses };
}

describe('paired difference', () => {
  it('is the difference of mean F1 over fits, inside its interval', () => {
    const { labels, guesses } = scene(300, 1);
    const [first, second] = [
      [guesses(0.8), guesses(0.7)],
      [guesses(0.6), guesses(0.6)],
    ];
    const f1 = (fits: Int32Array[]) => fits.reduce((sum, fit) => sum + f1Score(fit, labels, CLASSES), 0) / fits.length;
    const found = pairedDifference(first, second, labels, CLASSES, { seed: 1 });
    expect(found.difference).toBeCloseTo(f1(first) - f1(second), 12);
    expect(found.low).toBeLessThan(found.difference);
    expect(found.high).toBeGreaterThan(found.difference);
    expect(isWithinChance(found)).toBe(false);
  });

  it('holds the true difference in about 95 of 100 test parts', () => {
    // Two models that are right with chance .7 and .6: with equally frequent classes macro F1 has the expectation of accuracy.
    let held = 0;
    for (let seed = 0; seed < 150; seed++) {
      const { labels, guesses } = scene(120, seed);
      const found = pairedDifference([guesses(0.7)], [guesses(0.6)], labels, CLASSES, { seed, resamples: 300 });
      if (found.low <= 0.1 && 0.1 <= found.high) held++;
    }
    expect(held / 150).toBeGreaterThan(0.89);
    expect(held / 150).toBeLessThan(0.99);
  });

  it('is narrower for models that err on the same samples', () => {
    const { labels, guesses } = scene(400, 2);
    const one = guesses(0.7);
    const sibling = one.map((says, row) => (row % 20 === 0 ? labels[row] : says));
    const stranger = guesses(0.7);
    const width = ({ low, high }: { low: number; high: number }) => high - low;
    const options = { seed: 1 };
    const paired = pairedDifference([sibling], [one], labels, CLASSES, options);
    const apart = pairedDifference([stranger], [one], labels, CLASSES, options);
    expect(width(paired)).toBeLessThan(0.5 * width(apart));
  });

  it('is zero, within chance, between a model and itself', () => {
    const { labels, guesses } = scene(50, 3);
    const fits = [guesses(0.5)];
    const found = pairedDifference(fits, fits, labels, CLASSES, { seed: 1 });
    expect(found).toEqual({ difference: 0, low: 0, high: 0 });
    expect(isWithinChance(found)).toBe(true);
  });

  it('gives the same for the same seed', () => {
    const { labels, guesses } = scene(80, 4);
    const [first, second] = [[guesses(0.6)], [guesses(0.5)]];
    const of = (seed: number) => pairedDifference(first, second, labels, CLASSES, { seed });
    expect(of(1)).toEqual(of(1));
    expect(of(2)).not.toEqual(of(1));
  });

  it('has no interval without samples, and refuses fits of other samples', () => {
    expect(pairedDifference([[]], [[]], [], CLASSES, { seed: 1 }).low).toBeNaN();
    expect(() => pairedDifference([[0, 1]], [[0]], [0, 1], CLASSES, { seed: 1 })).toThrow('pairedDifference fit');
    expect(() => pairedDifference([], [[0]], [0], CLASSES, { seed: 1 })).toThrow('at least one fit');
  });
});
