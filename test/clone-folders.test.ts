// The commands of README and the quick start, run in one clone in any order: what they write is in nobody's way.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { demoCommand } from '../src/cli/demo/demo.ts';
import { reproduceCommand } from '../src/cli/reproduce/reproduce.ts';
import { temporaryDirectory } from './support/temporary-directory.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BIOME = join(ROOT, 'node_modules/@biomejs/biome/bin/biome');

/** The first part of each path that a command of the document writes to. */
function foldersOf(document: string): string[] {
  const blocks = readFileSync(join(ROOT, document), 'utf8').matchAll(/^```\n(.*?)^```/gms);
  const lines = Array.from(blocks, ([, block]) => block)
    .join('\n')
    .split('\n');
  const written = lines.flatMap((line) => {
    const options = line.includes('f3 serve') ? /--(?:out|home|data) (\S+)/g : /--(?:out|home) (\S+)/g;
    return Array.from(line.matchAll(options), ([, path]) => path.split('/')[0]);
  });
  return [...new Set(written)];
}

const defaultOf = (options: readonly { long?: string | null; defaultValue?: unknown }[]): string =>
  String(options.find(({ long }) => long === '--out')?.defaultValue);

const reports = [defaultOf(demoCommand().options), defaultOf(reproduceCommand().options)];

/** How Biome, with our configuration, judges a folder that holds these files, all of them badly laid out. */
function lint(...files: string[]): { status: number | null; stderr: string } {
  const dir = temporaryDirectory();
  for (const name of ['biome.json', '.gitignore']) copyFileSync(join(ROOT, name), join(dir, name));
  for (const file of files) {
    mkdirSync(dirname(join(dir, file)), { recursive: true });
    writeFileSync(join(dir, file), '{"a":   1 }');
  }
  const { status, stderr } = spawnSync(process.execPath, [BIOME, 'check'], { cwd: dir, encoding: 'utf8' });
  return { status, stderr };
}

describe('a clone in which commands were run', () => {
  it('knows where README and the quick start write', () => {
    expect(reports).toEqual(['f3-demo', 'f3-report']);
    expect(foldersOf('docs/quick-start.md')).toContain('first');
  });

  it('passes the linter whatever they wrote', () => {
    const written = [...reports, ...foldersOf('README.md'), ...foldersOf('docs/quick-start.md')];
    const { status, stderr } = lint(...written.filter((path) => !path.includes('.')).map((path) => `${path}/x.json`));
    expect(stderr).not.toContain('x.json');
    expect(status).toBe(0);
  });

  it('is linted everywhere else', () => {
    const { status, stderr } = lint('src/data/x.json');
    expect(stderr).toContain('src/data/x.json');
    expect(status).toBe(1);
  });

  it('has folders of its own for README, quick start and reports', () => {
    const all = [...reports, ...foldersOf('README.md'), ...foldersOf('docs/quick-start.md')];
    expect(new Set(all).size).toBe(all.length);
  });

  it('never commits a key', () => {
    const ignored = readFileSync(join(ROOT, '.gitignore'), 'utf8').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['key.json', 'operator-key.json']));
  });
});
