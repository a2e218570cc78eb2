// Every source file that the documentation names in backticks, or links to, exists.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Installed, built and hidden folders hold nothing of ours. */
const FOREIGN = /^(\..*|node_modules|dist|coverage)$/;
const SOURCE_FOLDERS = readdirSync(root, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !FOREIGN.test(entry.name))
  .map(({ name }) => name);

const filesBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => !file.includes('node_modules'))
    .map((file) => join(folder, file));
const paths = [...readdirSync(root), ...SOURCE_FOLDERS.flatMap(filesBelow)];
const pages = paths.filter((path) => path.endsWith('.md') && !path.startsWith('test'));

const areas = readdirSync(join(root, 'src')).filter((name) => !name.includes('.'));

/** `core/ops/affine.ts`, `theory-*.ts`, `src/exchange/bundle`: words that can only be files or folders of ours. */
function isSourcePath(word: string, page: string): boolean {
  if (!/^[\w.*-]+(\/[\w.*-]+)*\/?$/.test(word)) return false;
  if (/\.(ts|mjs|py)$/.test(word)) return true;
  // Elsewhere `data/metr-la` is a folder of the user.
  const starts = page === 'ARCHITECTURE.md' ? [...SOURCE_FOLDERS, ...areas] : SOURCE_FOLDERS;
  return word.includes('/') && starts.includes(word.split('/')[0]);
}

/** A name without a folder may stand for a file anywhere; a path starts at the root, in src/ or beside its page. */
function exists(word: string, page: string): boolean {
  const pattern = word.replace(/\/$/, '').replaceAll('.', '\\.').replaceAll('*', '[^/]*');
  if (!word.includes('/')) return paths.some((path) => new RegExp(`^${pattern}$`).test(basename(path)));
  const starts = ['', 'src/', `${dirname(page)}/`];
  return starts.some((start) => paths.some((path) => new RegExp(`^${join(start, pattern)}$`).test(path)));
}

describe.each(pages)('%s', (page) => {
  const text = readFileSync(join(root, page), 'utf8').replace(/```[\s\S]*?```/g, '');

  test('names files that exist', () => {
    const words = [...text.matchAll(/`([^`\s]+)`/g)].map(([, word]) => word);
    expect(words.filter((word) => isSourcePath(word, page) && !exists(word, page))).toEqual([]);
  });

  test('links to files that exist', () => {
    const targets = [...text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, target]) => target);
    const local = targets.filter((target) => !/^[a-z]+:/.test(target));
    expect(local.filter((target) => !existsSync(join(root, dirname(page), target)))).toEqual([]);
  });
});

test('ARCHITECTURE.md shows every folder of src in its tree, within 200 lines', () => {
  const lines = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').split('\n');
  const named = lines
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => line.split('|')[1].match(/\w+/g) ?? []);
  expect(areas.filter((area) => !named.includes(area))).toEqual([]);
  expect(lines.length).toBeLessThanOrEqual(200);
});
