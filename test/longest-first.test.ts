// The list of long test files names files that exist: a file that was renamed would silently run last.
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LONGEST } from './support/longest-first.ts';

test('every test file that is to run early exists, and is named once', () => {
  expect(LONGEST.filter((file) => !existsSync(new URL(`../${file}`, import.meta.url)))).toEqual([]);
  expect(new Set(LONGEST).size).toBe(LONGEST.length);
});
