// deploy/Dockerfile, read by the rules a linter would apply: what it copies exists, versions are ours, nobody is root.
import { existsSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { NEEDED_TO_PACK } from '../support/packed-package.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

interface Instruction {
  name: string;
  text: string;
}

const KNOWN = ['CMD', 'COPY', 'ENTRYPOINT', 'ENV', 'EXPOSE', 'FROM', 'RUN', 'USER', 'VOLUME', 'WORKDIR'];

/** A line that ends in a backslash goes on in the next one. */
function parseDockerfile(text: string): Instruction[] {
  const lines = text.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
  const whole = lines.join('\n').replaceAll(/\s*\\\n\s*/g, ' ');
  return whole.split('\n').map((line) => {
    const [name, ...rest] = line.split(' ');
    return { name, text: rest.join(' ') };
  });
}

const instructions = parseDockerfile(readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8'));
const all = (name: string) => instructions.filter((one) => one.name === name).map(({ text }) => text);
const finalStage = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
const last = (name: string) => finalStage.findLast((one) => one.name === name)?.text;

test('every instruction is one that we mean', () => {
  expect(instructions.filter(({ name }) => !KNOWN.includes(name))).toEqual([]);
});

test('every stage starts from the Node that the project is tested with, by its exact version', () => {
  const images = all('FROM').map((text) => text.split(' ')[0]);
  expect(new Set(images)).toEqual(new Set([`node:${manifest.devDependencies.node}-bookworm-slim`]));
});

test('what is copied exists and reaches the builder', () => {
  const ignore = readFileSync(join(ROOT, 'deploy/Dockerfile.dockerignore'), 'utf8').split('\n').filter(isRule);
  const copied = all('COPY')
    .filter((text) => !text.startsWith('--from='))
    .flatMap((text) => text.split(' ').slice(0, -1));
  expect(copied.length).toBeGreaterThan(10);
  expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(copied.filter((path) => isIgnored(path, ignore))).toEqual([]);
  for (const path of [
    'node_modules',
    '.git',
    'f3-data',
    'deploy/secrets',
    'src/core/kernels/build',
    'src/storage/database/build',
    'dashboard/build',
  ]) {
    expect(isIgnored(path, ignore), path).toBe(true);
  }
});

/** A folder's rule holds for what lies in it; the last one that fits decides. */
function isIgnored(path: string, rules: readonly string[]): boolean {
  const parts = path.split('/');
  const above = parts.map((_, i) => parts.slice(0, i + 1).join('/'));
  const fits = (one: string, rule: string) => rule === '*' || matchesGlob(one, rule); // Docker's * has names with a dot
  const deciding = rules.findLast((rule) => above.some((one) => fits(one, rule.replace(/^!/, ''))));
  return deciding !== undefined && !deciding.startsWith('!');
}

const isRule = (line: string): boolean => line !== '' && !line.startsWith('#');

// Docker is not to be had where tests run; that this much suffices to pack the package, the test of the package shows.
test('what is copied before the package is packed is what packing it needs', () => {
  const packs = instructions.findIndex(({ text }) => text.includes('npm pack'));
  const copied = instructions
    .slice(0, packs)
    .filter(({ name }) => name === 'COPY')
    .flatMap(({ text }) => text.split(' ').slice(0, -1));
  expect(copied.sort()).toEqual([...NEEDED_TO_PACK].sort());
});

test('the packages of the image are those of the lockfile, without their scripts', () => {
  const runs = finalStage.filter(({ name }) => name === 'RUN').map(({ text }) => text);
  expect(runs.join('\n')).toContain('npm ci --omit=dev --ignore-scripts');
  expect(instructions.map(({ text }) => text).join('\n')).not.toMatch(/npm (i|install)\b|curl|wget|apt/);
});

test('the process is not root, works in an absolute place, and is started without a shell', () => {
  expect(last('USER')).toBe('node');
  for (const place of all('WORKDIR')) expect(place).toMatch(/^\//);
  expect(JSON.parse(last('ENTRYPOINT') ?? '')).toEqual(['f3']);
  expect(JSON.parse(last('CMD') ?? '')).toEqual(['serve', '--data', '/var/lib/f3', '--host', '0.0.0.0']);
  const order = finalStage.map(({ name }) => name);
  expect(order.lastIndexOf('RUN')).toBeLessThan(order.indexOf('USER'));
});

test('no secret is part of the image', () => {
  for (const text of all('ENV')) expect(text).not.toMatch(/PASSWORD|SECRET|TOKEN|KEY/i);
  expect(all('ARG')).toEqual([]);
});

test('the command that it links is one that a system can execute', () => {
  const main = join(ROOT, 'src/cli/main.ts');
  expect(readFileSync(main, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  expect(all('RUN').join('\n')).toContain(`ln -s /opt/f3/${manifest.bin.f3} /usr/local/bin/f3`);
});
