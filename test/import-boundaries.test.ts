// Who may import whom: the coordinator's folders cannot reach raw readings, and core stands alone.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = new URL('../src/', import.meta.url).pathname;

/** Folder → folders it may import besides itself. Files directly in src/ (errors.ts) are open to all but core. */
const ALLOWED: Record<string, string[]> = {
  core: [],
  data: ['core', '.'],
  embed: ['core', 'data', '.'],
  exchange: ['core', '.'],
  fuse: ['core', 'exchange', '.'],
  infer: ['core', 'exchange', 'fuse', '.'],
  storage: ['core', '.'],
  server: ['core', 'exchange', 'fuse', 'infer', 'storage', '.'],
};

interface Import {
  from: string;
  folder: string;
  target: string;
}

const folderOf = (path: string) => (path.includes(sep) ? path.split(sep)[0] : '.');

function imports(): Import[] {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes(join('core', 'kernels', '')),
  );
  return files.flatMap((file) => {
    const text = readFileSync(join(SRC, file), 'utf8');
    const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1]);
    return specifiers.map((specifier) => {
      const target = relative(SRC, join(SRC, dirname(file), specifier));
      return { from: file, folder: folderOf(file), target: folderOf(target) };
    });
  });
}

describe('imports', () => {
  const all = imports();

  it('are found at all', () => {
    expect(all.length).toBeGreaterThan(50);
  });

  it.each(Object.keys(ALLOWED))('of %s stay within what it may see', (folder) => {
    const breaches = all
      .filter((entry) => entry.folder === folder)
      .filter(({ target }) => target !== folder && !ALLOWED[folder].includes(target))
      .map(({ from, target }) => `${from} imports ${target}`);
    expect(breaches).toEqual([]);
  });

  it('never leave src', () => {
    expect(all.filter(({ target }) => target === '..').map(({ from }) => from)).toEqual([]);
  });
});
