// The summary of a run tells of what was skipped and what passed late: seen by running Vitest on a few tests of its own.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryDirectory } from './support/temporary-directory.ts';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

function summary(tests: string, ...options: string[]): string[] {
  const dir = temporaryDirectory();
  writeFileSync(join(dir, 'some.test.ts'), tests);
  const reporters = ['--reporter=default', `--reporter=${path('support/closing-reporter.ts')}`];
  const run = ['run', '--root', dir, '--globals', ...reporters, ...options];
  const text = execFileSync(process.execPath, [path('../node_modules/vitest/vitest.mjs'), ...run], {
    encoding: 'utf8',
  });
  return text.split('\n').filter((line) => / (skipped|failed first): /.test(line));
}

const TESTS = `
  import { unless } from ${JSON.stringify(path('support/unless.ts'))};
  test('runs', () => {});
  test('lacks a file', ({ skip }) => skip('the file is not there'));
  describe('with a program', unless('no such program'), () => {
    test('one', () => {});
    describe('deeper', () => test('two', () => {}));
  });
  describe('with nothing', unless(''), () => test('runs', () => {}));`;

test('every reason is told with the number of tests', () => {
  expect(summary(TESTS)).toEqual([
    ' skipped: 1 test of some.test.ts, because the file is not there',
    ' skipped: 2 tests of some.test.ts, because no such program',
  ]);
  expect(summary("test.skip('x', () => {}); test('y', () => {});")).toEqual([
    ' skipped: 1 test of some.test.ts, because nobody said why',
  ]);
});

test('a run without skips, or of tests chosen by name, tells nothing', () => {
  expect(summary("test('runs', () => {});")).toEqual([]);
  expect(summary(TESTS, '-t', 'runs')).toEqual([]);
});

test('a test that passes only when tried again is told of', () => {
  const tests = "let tries = 0; test('passes late', () => expect(++tries, 'tries').toBe(2)); test('passes', () => {});";
  expect(summary(tests, '--retry=1')).toEqual([
    ' failed first: some.test.ts > passes late: tries: expected 1 to be 2 // Object.is equality',
  ]);
});
