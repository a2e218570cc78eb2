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

test.each([
  [['fuse', '--bundle', 'x'], "unknown option '--bundle' (Did you mean --bundles?)", 'f3 fuse'],
  [['fuse', '--bundle=x', '--labels', 'y'], "unknown option '--bundle' (Did you mean --bundles?)", 'f3 fuse'],
  [['federation', 'statsu', 'grid'], "unknown command 'statsu' (Did you mean status?)", 'f3 federation'],
  [['owner', 'push', '--feder', 'grid'], "unknown option '--feder'", 'f3 owner push'],
  [['serve', '--prot=1'], "unknown option '--prot' (Did you mean --port?)", 'f3 serve'],
  [['fuse', '--labels', 'y'], "required option '--bundles <path...>' not specified", 'f3 fuse'],
])('f3 %j names the mistake and the nearest right word', (args, message, path) => {
  const { status, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
  expect(stderr).toBe(`f3: ${message} [F3_OPTION]\nTry: ${path} --help\n`);
  expect(status).toBe(2);
});
