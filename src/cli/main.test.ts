import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

test('f3 --version prints the version in package.json', () => {
  expect(execFileSync(process.execPath, [main, '--version'], { encoding: 'utf8' })).toBe(`${version}\n`);
});

test('an unknown option fails and says where to find help', () => {
  const { status, stderr } = spawnSync(process.execPath, [main, '--no-such-option'], { encoding: 'utf8' });
  expect(status).toBe(2);
  expect(stderr).toContain("unknown option '--no-such-option'");
  expect(stderr).toContain('Try: f3 --help');
});
