import { expect, it } from 'vitest';
import { rateFactor } from './rate-schedule.ts';

it('a constant rate stays what it is', () => {
  for (const step of [0, 7, 1000]) expect(rateFactor({ schedule: 'constant', epochs: 3 }, step, 5)).toBe(1);
});

it('a cosine rises through the first epoch, is whole after it, about half midway, and a hundredth at the end', () => {
  const at = (step: number) => rateFactor({ schedule: 'cosine', epochs: 11 }, step, 4);
  expect([0, 1, 2, 3].map(at)).toEqual([0.25, 0.5, 0.75, 1]);
  expect(at(4)).toBe(1);
  expect(at(4 * 6)).toBeCloseTo(0.505, 12);
  const falling = Array.from({ length: 41 }, (_, i) => at(3 + i));
  for (let i = 2; i < falling.length; i++) expect(falling[i]).toBeLessThan(falling[i - 1]);
  expect(at(43)).toBeGreaterThan(0.01);
  expect(at(44)).toBeCloseTo(0.01, 12);
});

it('a training of one epoch only rises', () => {
  expect(rateFactor({ schedule: 'cosine', epochs: 1 }, 2, 3)).toBe(1);
});
