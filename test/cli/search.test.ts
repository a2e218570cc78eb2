// `f3 fuse --preset auto` as a user runs it: the table, interruptions, folders and mistakes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { suiteDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { toyBundles } from '../support/toy-bundles.ts';
import { MAIN, runF3 } from './run-f3.ts';

const search = ['--preset', 'auto', '--budget-fits', '8', '--epochs', '5', '--threads', '2'];
const { PRIORITY_LOW: LOW } = constants.priority;
const weights = (dir: string) => readFileSync(join(dir, 'model.safetensors'));
const fitsIn = (dir: string) => (existsSync(dir) ? readdirSync(dir).filter((name) => name.endsWith('.f3fit')) : []);

describe('f3 fuse --preset auto', () => {
  const parent = suiteDirectory();
  const { inputs } = toyBundles(parent);
  const model = join(parent, 'model');
  const kept = join(parent, 'kept');
  let printed = '';

  beforeAll(() => {
    const { status, stdout, stderr } = runF3('fuse', ...inputs, ...search, '--out', model, '--search', kept);
    expect(stderr).toContain('searching');
    expect(status).toBe(0);
    printed = stdout;
  });

  it('prints what was tried and keeps it with the model', () => {
    const table = printed.split('\n').filter((line) => /^ *\*? +(\d+ +)?\d\.\d{4} /.test(line));
    expect(table.length).toBeGreaterThanOrEqual(8);
    expect(table.filter((line) => line.trim().startsWith('*'))).toHaveLength(1);
    const { stdout } = runF3('model', 'show', model);
    for (const line of table) expect(stdout).toContain(line);
    const shown = JSON.parse(runF3('model', 'show', model, '--json').stdout);
    expect(shown.search.tried.filter(({ chosen }: { chosen: boolean }) => chosen)).toHaveLength(1);
  });

  it('with a larger budget in the same folder makes only the fits that are new', () => {
    const before = fitsIn(kept);
    expect(before).toHaveLength(8);
    const more = ['--budget-fits', '9', '--search', kept, '--json'];
    const { status, stdout } = runF3('fuse', ...inputs, ...search, ...more);
    expect(status).toBe(0);
    expect(JSON.parse(stdout).search).toMatchObject({ fits: 9, budget: { fits: 9 } });
    const now = fitsIn(kept);
    expect(now).toEqual(expect.arrayContaining(before));
    expect(now.length).toBeLessThanOrEqual(11);
  });

  it('refuses a folder once bundles have changed', () => {
    const other = temporaryDirectory();
    const changed = toyBundles(other, { seed: 2 });
    const { status, stderr } = runF3('fuse', ...changed.inputs, ...search, '--search', kept);
    expect(stderr).toContain('got that of another search; remove it or name another [F3_SEARCH_FOLDER]');
    expect(status).toBe(2);
  });

  it.each(['SIGINT', 'SIGKILL'] as const)('stopped by %s goes on by itself to the same bits', async (signal) => {
    const own = temporaryDirectory();
    const toy = toyBundles(own);
    const out = join(own, 'model');
    const args = ['fuse', ...toy.inputs, ...search, '--out', out];
    const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    setPriority(child.pid as number, LOW); // so that it is stopped long before it has finished
    const closed = once(child, 'close');
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    while (fitsIn(`${out}.search`).length === 0 && child.exitCode === null) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    child.kill(signal);
    const [code] = await closed;
    if (signal === 'SIGINT') {
      expect(code).toBe(130);
      expect(stderr).toContain('f3: interrupted; the same command goes on');
    }
    expect(existsSync(out)).toBe(false);
    expect(fitsIn(`${out}.search`).length).toBeGreaterThan(0);
    expect(runF3(...args).status).toBe(0);
    expect(weights(out).equals(weights(model))).toBe(true);
    expect(readdirSync(own).sort()).toEqual(['bundles', 'labels.csv', 'model', 'split.json']);
  });

  it.each<[extra: string, also: string, message: RegExp]>([
    ['--budget-fits 0', 'Try: f3 fuse --help', /from 1 to 1000/],
    ['--budget-fits -1', 'Try: f3 fuse --help', /from 1 to 1000/],
    ['--budget-fits many', 'Try: f3 fuse --help', /from 1 to 1000/],
    ['--budget-minutes 0', 'Try: f3 fuse --help', /above 0/],
    ['--budget-minutes NaN', 'Try: f3 fuse --help', /above 0/],
    ['--absence-weight 1.5', 'Try: f3 fuse --help', /from 0 to 1/],
    ['--fits 3', 'F3_OPTION', /--fits: is not for --preset auto/],
    ['--row E', 'F3_OPTION', /--row: is not for --preset auto/],
    ['--lr auto', 'F3_OPTION', /--lr auto: is not for --preset auto/],
    ['--k 3', 'F3_ARGUMENT', /neighbours: is for graph knn only/],
    ['--method majority', 'F3_ARGUMENT', /must learn from embeddings/],
    ['--preset recommended', 'F3_OPTION', /--budget-fits: is for --preset auto only/],
  ])('refuses %s', (extra, also, message) => {
    const { status, stdout, stderr } = runF3('fuse', ...inputs, ...search, ...extra.split(' '));
    expect(stderr).toMatch(message);
    expect(stderr).toContain(also);
    expect(stderr).not.toContain('    at ');
    expect([status, stdout]).toEqual([2, '']);
  });

  it('refuses a folder of somebody else, and leaves it as it is', () => {
    const own = temporaryDirectory();
    const folder = join(own, 'thesis');
    mkdirSync(folder);
    writeFileSync(join(folder, 'thesis.tex'), 'years of work');
    const { status, stderr } = runF3('fuse', ...inputs, ...search, '--search', folder);
    expect(stderr).toContain('must be of a search or empty, got thesis.tex in it [F3_SEARCH_FOLDER]');
    expect(status).toBe(2);
    expect(readdirSync(folder)).toEqual(['thesis.tex']);
  });
});
