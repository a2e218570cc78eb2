import { expect, it } from 'vitest';
import { errorCode } from '../errors.ts';
import { unwritable } from './unwritable.ts';

const cause = (code: string) => Object.assign(new Error(`${code}: a reason`), { code, syscall: 'write' });

it.each([
  ['EROFS', 'F3_OUTPUT', 'a read-only file system'],
  ['ENOSPC', 'F3_HOME', 'a full disk'],
  ['EDQUOT', 'F3_HOME', 'a full disk quota'],
] as const)('says in words what %s is', (code, own, reason) => {
  const error = unwritable('file x', cause(code), own);
  expect(error).toMatchObject({ code: own, message: `file x: must be writable, got ${reason}` });
});

it('leaves a full disk that is not of a home folder as it is', () => {
  const full = cause('ENOSPC');
  expect(errorCode(unwritable('file x', full, 'F3_OUTPUT'))).toBeUndefined();
  expect(unwritable('file x', full, 'F3_OUTPUT')).toBe(full);
});
