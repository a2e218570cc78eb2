import { CommanderError } from 'commander';
import { afterEach, expect, test, vi } from 'vitest';
import { CoreError } from '../core/errors.ts';
import { F3Error } from '../errors.ts';
import { reportError, withKeyIdsLast } from './run-command.ts';

afterEach(() => vi.restoreAllMocks());

test.each([
  ['bad input', new F3Error('F3_DATA_GAP', 'x: a gap'), 2, 'f3: x: a gap [F3_DATA_GAP]\n'],
  [
    'bad input against which a flag helps',
    new F3Error('F3_DATA_GAP', 'x: a gap', { remedy: 'gaps' }),
    2,
    'f3: x: a gap; --gaps drop leaves such windows out [F3_DATA_GAP]\n',
  ],
  [
    "the coordinator's answer, which carries a code only",
    new F3Error('F3_BUNDLE_WIDTH', 'bundle x: too wide'),
    2,
    'f3: bundle x: too wide; --new-width sends it all the same [F3_BUNDLE_WIDTH]\n',
  ],
  ['a bad argument to the core', new CoreError('F3_ARGUMENT', 'seed: no'), 2, 'f3: seed: no [F3_ARGUMENT]\n'],
  ['a fault in the core', new CoreError('F3_KERNEL', 'boom'), 1, 'f3: boom [F3_KERNEL]\n'],
  ['bad usage, of which commander has spoken', new CommanderError(1, 'commander.unknownOption', 'x'), 2, ''],
  ['help', new CommanderError(0, 'commander.help', 'x'), 0, ''],
  [
    'a full disk',
    Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC', syscall: 'write' }),
    1,
    'f3: ENOSPC: no space left\n',
  ],
])('%s', (_, error, code, message) => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  expect(reportError(error)).toBe(code);
  expect(said.mock.calls.join('')).toBe(message);
});

test('anything unforeseen shows where it happened', () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  expect(reportError(new TypeError('undefined is not a function'))).toBe(1);
  expect(said.mock.calls.join('')).toMatch(/^f3: internal error, please report it\nTypeError: .*\n +at /);
});

test('the id of a key may begin with a dash', () => {
  const id = `-${'Aa0_-'.repeat(9).slice(0, 42)}`;
  const valued = new Set(['--audit-key', '--code']);
  expect(withKeyIdsLast(['key', 'revoke', id, '--json'], valued)).toEqual(['key', 'revoke', '--json', '--', id]);
  for (const words of [
    ['key', 'list', '--json'],
    ['key', 'revoke', '--', id],
    ['owner', 'join', 'url', '--code', '-abc'],
    ['federation', 'audit', '--verify', 'log', '--audit-key', id],
  ]) {
    expect(withKeyIdsLast(words, valued)).toEqual(words);
  }
});
