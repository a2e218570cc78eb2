import { expect, it } from 'vitest';
import { indexOfMax } from './index-of-max.ts';

it('is the first of equals', () => {
  expect(indexOfMax([1, 3, 3, 2])).toBe(1);
  expect(indexOfMax(Float32Array.of(-1, -1))).toBe(0);
});

it('counts from where it starts', () => {
  expect(indexOfMax([9, 1, 2, 0, 8], 1, 3)).toBe(1);
});
