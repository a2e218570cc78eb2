import { expect, test } from 'vitest';
import { sparkline } from './sparkline.ts';

test('runs from the lowest to the highest value', () => {
  expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7])).toBe('▁▂▃▄▅▆▇█');
  expect(sparkline([-5, 100])).toBe('▁█');
});

test('a constant is flat, nothing is nothing', () => {
  expect(sparkline([3, 3, 3])).toBe('▁▁▁');
  expect(sparkline([])).toBe('');
});

test('averages groups when there are more values than room', () => {
  expect(sparkline([0, 0, 9, 9, 4, 5], 3)).toBe('▁█▅');
});
