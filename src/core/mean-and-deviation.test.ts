import { expect, it } from 'vitest';
import { meanAndDeviation } from './mean-and-deviation.ts';

it('divides by one less than there are', () => {
  expect(meanAndDeviation([1, 2, 3, 4])).toEqual({ mean: 2.5, deviation: Math.sqrt(5 / 3) });
});

it('gives no deviation of a single number, and NaN of what is not defined', () => {
  expect(meanAndDeviation([7])).toEqual({ mean: 7 });
  expect(meanAndDeviation([1, Number.NaN])).toEqual({ mean: Number.NaN, deviation: Number.NaN });
});
