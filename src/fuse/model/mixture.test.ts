import { describe, expect, it } from 'vitest';
import fc from '../../../test/support/seeded-fast-check.ts';
import { RandomStream } from '../../core/random.ts';
import { calibration } from '../scores/calibration.ts';
import { applyMixture, fitMixture, memberSpread } from './mixture.ts';

const ROWS = 4000;
const random = new RandomStream(5, 1);
/** The chance of class 1 and what then happened. */
const chances = Float64Array.from({ length: ROWS }, () => 0.05 + 0.9 * random.uniform());
const labels = Int32Array.from(chances, (chance) => (random.uniform() < chance ? 1 : 0));
const binary = (p: (row: number) => number) =>
  Float64Array.from({ length: 2 * ROWS }, (_, at) => (at % 2 === 1 ? p(at >> 1) : 1 - p(at >> 1)));
const honest = binary((row) => chances[row]);
/** p^k/(p^k + q^k): as if every number were k times as sure. */
const exaggerated = binary((row) => chances[row] ** 3 / (chances[row] ** 3 + (1 - chances[row]) ** 3));
const clueless = binary(() => 0.5);

describe('a mixture', () => {
  it('finds the temperature that undoes exaggeration, and lowers the calibration error', () => {
    const mixture = fitMixture([exaggerated], labels, 2, { calibrate: true });
    expect(mixture.temperature).toBeGreaterThan(2.6);
    expect(mixture.temperature).toBeLessThan(3.4);
    const before = calibration(exaggerated, labels, 2).expectedError;
    const after = calibration(applyMixture([exaggerated], 2, mixture), labels, 2).expectedError;
    expect(after).toBeLessThan(before / 3);
  });

  it('leaves what is calibrated nearly as it is', () => {
    expect(fitMixture([honest], labels, 2, { calibrate: true }).temperature).toBeCloseTo(1, 1);
    expect(fitMixture([honest], labels, 2, { calibrate: false })).toEqual({ weights: [1], temperature: 1 });
  });

  it('does not become sure beyond measure because a handful of answers were right', () => {
    const right = Float64Array.of(0.9, 0.1, 0.9, 0.1, 0.9, 0.1);
    const { temperature } = fitMixture([right], [0, 0, 0], 2, { calibrate: true });
    expect(temperature).toBeLessThan(1);
    expect(temperature).toBeGreaterThan(0.8);
  });

  it('trusts the member that knows more', () => {
    const { weights } = fitMixture([clueless, honest], labels, 2, { calibrate: false });
    expect(weights[1]).toBeGreaterThan(0.9);
    expect(weights[0] + weights[1]).toBeCloseTo(1, 12);
  });

  it('spreads where its members disagree, and nowhere else', () => {
    const mixture = { weights: [0.5, 0.5], temperature: 1 };
    const [a, b] = [Float64Array.of(0.2, 0.8, 0.5, 0.5), Float64Array.of(0.6, 0.4, 0.5, 0.5)];
    const spread = memberSpread([a, b], Int32Array.of(1, 0), 2, mixture);
    expect(spread[0]).toBeCloseTo(0.2, 12);
    expect(spread[1]).toBe(0);
  });

  it('gives probabilities that add up to 1 and keep their order', () => {
    const row = fc.array(fc.double({ min: 0.001, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(row, fc.double({ min: 0.2, max: 5, noNaN: true }), (numbers, temperature) => {
        const total = numbers.reduce((sum, value) => sum + value, 0);
        const member = Float64Array.from(numbers, (value) => value / total);
        const mixed = applyMixture([member], 3, { weights: [1], temperature });
        expect(mixed.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 9);
        expect(mixed[member.indexOf(Math.max(...member))]).toBeCloseTo(Math.max(...mixed), 12);
      }),
    );
  });
});
