import { describe, expect, it } from 'vitest';
import { calibrationFloor } from './calibration-floor.ts';

/** Every sample with the same chance of class 1. */
const coins = (samples: number, chance: number) =>
  Float64Array.from({ length: 2 * samples }, (_, i) => (i % 2 === 1 ? chance : 1 - chance));

describe('the floor of the calibration error', () => {
  it('is the mean distance of a share from its chance', () => {
    // Of n coins with chance p the share of heads is off by √(2p(1 − p)/πn) on average.
    for (const [samples, chance] of [
      [400, 0.7],
      [100, 0.6],
    ]) {
      const expected = Math.sqrt((2 * chance * (1 - chance)) / (Math.PI * samples));
      expect(calibrationFloor(coins(samples, chance), 2, { repeats: 2000 })).toBeCloseTo(expected, 2);
    }
  });

  it('falls with the number of samples, and is nothing where predictions are certain', () => {
    expect(calibrationFloor(coins(4000, 0.7), 2)).toBeLessThan(calibrationFloor(coins(100, 0.7), 2) / 3);
    expect(calibrationFloor(coins(50, 1), 2)).toBe(0);
  });

  it('takes several classes, and comes to the same for the same seed', () => {
    const thirds = new Float64Array(300).fill(1 / 3);
    expect(calibrationFloor(thirds, 3, { seed: 4 })).toBe(calibrationFloor(thirds, 3, { seed: 4 }));
    expect(calibrationFloor(thirds, 3)).toBeGreaterThan(0.01);
  });
});
