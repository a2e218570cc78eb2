import { expect, test } from 'vitest';
import { timeLeft } from './fusion-progress.ts';

test('the time left is between the end of patience and the last epoch', () => {
  const limits = { epochs: 500, patience: 50 };
  expect(timeLeft(2, { ...limits, epoch: 100, bestEpoch: 90 })).toBe('at least 80 s left, at most 800 s');
  expect(timeLeft(2, { ...limits, epochs: 120, epoch: 100, bestEpoch: 90 })).toBe('at least 40 s left, at most 40 s');
});

test('of a training whose patience is not known, only the last epoch is', () => {
  expect(timeLeft(0.5, { epochs: 30, epoch: 10, bestEpoch: 2 })).toBe('at most 10 s left');
});
