import { expect, test } from 'vitest';
import { textWidth } from './text-width.ts';

test('wide letters, larger sizes and bold take more room', () => {
  expect(textWidth({}, 'illi')).toBeLessThan(textWidth({}, 'mwmw'));
  expect(textWidth({ fontSize: 20 }, 'abc')).toBeCloseTo(2 * textWidth({ fontSize: 10 }, 'abc'), 10);
  expect(textWidth({ fontWeight: 600 }, 'abc')).toBeGreaterThan(textWidth({ fontWeight: 'normal' }, 'abc'));
});

test('a limit holds, and nothing has no width', () => {
  expect(textWidth({ limit: 30 }, 'a long line of text')).toBe(30);
  expect(textWidth({}, null)).toBe(0);
  expect(textWidth({}, undefined)).toBe(0);
});
