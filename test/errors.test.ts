// Every public error stands in src/errors.ts and in docs/errors.md, and is thrown somewhere.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CoreError } from '../src/core/errors.ts';
import { ERRORS, errorCode, F3Error } from '../src/errors.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

describe('the error table', () => {
  test('is the one in docs/errors.md', () => {
    const lines = readFileSync(join(root, 'docs/errors.md'), 'utf8').split('\n');
    const documented = lines.filter((line) => line.startsWith('| `F3_'));
    expect(documented).toEqual(
      Object.entries(ERRORS).map(([code, { status, meaning }]) => `| \`${code}\` | ${status} | ${meaning} |`),
    );
  });

  test('is in alphabetical order', () => {
    expect(Object.keys(ERRORS)).toEqual(Object.keys(ERRORS).toSorted());
  });

  test('has no code that nothing throws', () => {
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== 'errors.ts')
      .map((file) => readFileSync(join(root, 'src', file), 'utf8'))
      .join('\n');
    expect(Object.keys(ERRORS).filter((code) => !sources.includes(`'${code}'`))).toEqual([]);
  });
});

test("errorCode knows ours and the core's, and no others", () => {
  expect(errorCode(new F3Error('F3_DATA_GAP', 'x'))).toBe('F3_DATA_GAP');
  expect(errorCode(new CoreError('F3_SHAPE', 'x'))).toBe('F3_SHAPE');
  expect(errorCode(Object.assign(new Error('x'), { code: 'ENOENT' }))).toBeUndefined();
  expect(errorCode(Object.assign(new Error('x'), { code: 'toString' }))).toBeUndefined();
  expect(errorCode('F3_SHAPE')).toBeUndefined();
});
