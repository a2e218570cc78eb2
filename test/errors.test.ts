// Every public error stands in src/errors.ts and in docs/errors.md, is thrown somewhere, and some test makes it happen.
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CoreError } from '../src/core/errors.ts';
import { ERRORS, errorCode, F3Error } from '../src/errors.ts';
import { type CodeUse, findCodes, isExpected, isHandedIn, isThrown } from './support/error-codes.ts';
import { withProject } from './support/open-project.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** In these tests codes are handed in, to see what becomes of them: that provokes none. */
const HANDED_IN = [
  'src/cli/run-command.test.ts',
  'src/exchange/client/coordinator-client.test.ts',
  'test/errors.test.ts',
];

const uses = withProject(join(root, 'tsconfig.json'), (project) => findCodes(project, root));
const isTest = ({ file }: CodeUse) => file.endsWith('.test.ts') || file.startsWith('test/');
const tests = uses.filter((use) => isTest(use) && !HANDED_IN.includes(use.file));
const sources = uses.filter(
  ({ file }) => file.startsWith('src/') && !file.endsWith('.test.ts') && file !== 'src/errors.ts',
);

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
    const thrown = new Set(sources.filter(isThrown).map(({ code }) => code));
    expect(Object.keys(ERRORS).filter((code) => !thrown.has(code))).toEqual([]);
  });

  test('has no code that no test provokes', () => {
    const handedIn = new Set(tests.filter(isHandedIn).map(({ code, file }) => `${file} ${code}`));
    const provoked = tests.filter((use) => isExpected(use) && !handedIn.has(`${use.file} ${use.code}`));
    const expected = new Set(provoked.map(({ code }) => code));
    expect(Object.keys(ERRORS).filter((code) => !expected.has(code))).toEqual([]);
  });
});

test("errorCode knows ours and the core's, and no others", () => {
  expect(errorCode(new F3Error('F3_DATA_GAP', 'x'))).toBe('F3_DATA_GAP');
  expect(errorCode(new CoreError('F3_SHAPE', 'x'))).toBe('F3_SHAPE');
  expect(errorCode(Object.assign(new Error('x'), { code: 'ENOENT' }))).toBeUndefined();
  expect(errorCode(Object.assign(new Error('x'), { code: 'toString' }))).toBeUndefined();
  expect(errorCode('F3_SHAPE')).toBeUndefined();
});

test('a code that is only compared, listed or told of counts neither as thrown nor as provoked', () => {
  const dir = realpathSync(temporaryDirectory());
  const text = `
    declare const code: string, error: any, expect: any, it: any;
    export const errors = ['F3_LISTED'];
    if (code === 'F3_COMPARED') throw new Error('F3_SPOKEN: a text');
    if (!code) throw new F3Error('F3_MADE', 'x');
    export const refuse = (other = 'F3_DEFAULT') => refuse('F3_PASSED');
    it('F3_TITLE', () => expect(error).toMatchObject({ code: 'F3_MATCHED' }));
    it.each([['F3_ROW']])('%s', () => expect(() => refuse('F3_ASKED')).toThrow(/F3_PATTERN/));
    const body = { code: 'F3_FAKE' };`;
  writeFileSync(join(dir, 'a.ts'), text);
  writeFileSync(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions: { types: [] }, files: ['a.ts'] }));
  const found = withProject(join(dir, 'tsconfig.json'), (project) => findCodes(project, dir));
  const codes = (isWanted: (use: CodeUse) => boolean) => found.filter(isWanted).map(({ code }) => code);
  const made = ['F3_MADE', 'F3_DEFAULT', 'F3_PASSED'];
  expect(codes(isThrown).filter((code) => [...made, 'F3_LISTED', 'F3_COMPARED', 'F3_SPOKEN'].includes(code))).toEqual(
    made,
  );
  const compared = ['F3_MATCHED', 'F3_ROW', 'F3_PATTERN'];
  const rest = ['F3_TITLE', 'F3_ASKED', 'F3_FAKE', 'F3_MADE', 'F3_SPOKEN'];
  expect(codes(isExpected).filter((code) => [...compared, ...rest].includes(code))).toEqual(compared);
  expect(codes(isHandedIn)).toEqual(['F3_MADE']);
});
