import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

test('f3 --version prints the version in package.json', () => {
  expect(execFileSync(process.execPath, [main, '--version'], { encoding: 'utf8' })).toBe(`${version}\n`);
});

test('a misspelt command fails in one line, with a suggestion', () => {
  const { status, stderr } = spawnSync(process.execPath, [main, 'fuze'], { encoding: 'utf8' });
  expect(status).toBe(2);
  expect(stderr).toBe("f3: unknown command 'fuze' (Did you mean fuse?) [F3_OPTION]\nTry: f3 --help\n");
});

test('an unknown option fails and says where to find help', () => {
  const { status, stderr } = spawnSync(process.execPath, [main, '--no-such-option'], { encoding: 'utf8' });
  expect(status).toBe(2);
  expect(stderr).toBe("f3: unknown option '--no-such-option' [F3_OPTION]\nTry: f3 --help\n");
});
