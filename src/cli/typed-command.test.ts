import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { typedCommand } from './typed-command.ts';

it('leaves plain words as they are', () => {
  const words = ['owner', 'audit', 'data/plant', '--owner', 'plant-7', '--clip', '2.5'];
  expect(typedCommand(words)).toBe('f3 owner audit data/plant --owner plant-7 --clip 2.5');
});

it.skipIf(process.platform === 'win32')('is read by a shell as the words that it was made of', () => {
  const words = ['a b', "it's", '$HOME', '', '*', 'Zürich', '"quoted"', '\\', '#'];
  const script = `f3() { printf '%s\\n' "$@"; }; ${typedCommand(words)}`;
  expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(`${words.join('\n')}\n`);
});
