// Who may reach whom, through any number of files: the coordinator's folders cannot reach raw readings, core stands alone.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = new URL('../src/', import.meta.url).pathname;

/** Folder → everything it may reach besides itself and errors.ts, through third files too. */
const MAY_REACH: Record<string, string[]> = {
  'errors.ts': [],
  base: [],
  core: ['base'],
  exchange: ['base', 'core'],
  data: ['base', 'core', 'exchange'],
  embed: ['base', 'core', 'data', 'exchange'],
  privacy: ['base', 'core', 'data', 'embed', 'exchange'],
  fuse: ['base', 'core', 'exchange', 'shares'],
  infer: ['base', 'core', 'exchange', 'fuse', 'shares'],
  shares: ['base', 'core', 'exchange', 'storage'],
  storage: ['base', 'core', 'exchange'],
  server: ['base', 'core', 'exchange', 'fuse', 'infer', 'shares', 'storage'],
  figures: ['base', 'core', 'exchange', 'fuse', 'shares'],
  facade: ['base', 'core', 'exchange', 'fuse', 'infer', 'shares'],
  'index.ts': ['base', 'core', 'exchange', 'facade', 'fuse', 'infer', 'shares'],
  reproduce: ['base', 'core', 'data', 'embed', 'exchange', 'figures', 'fuse', 'infer', 'privacy', 'shares', 'index.ts'],
};

/** The first part of a path below src/: a folder, or the name of a root file. */
const areaOf = (file: string): string => file.split(sep)[0];

function sourceFiles(): string[] {
  return readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes(join('core', 'kernels', '')),
  );
}

/** What a file imports, statically, dynamically, for its types, or starts as a worker by its address. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  const imported = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1]);
  const started = [...text.matchAll(/new URL\([`'](\.[^`'$]+)[^`']*[`'], import\.meta\.url\)/g)]
    .map((match) => `${match[1]}.ts`)
    .filter((target) => target.endsWith('worker.ts'));
  return [...imported, ...started]
    .filter((target) => target.endsWith('.ts'))
    .map((target) => relative(SRC, join(SRC, dirname(file), target)));
}

const imports = new Map(sourceFiles().map((file) => [file, importsOf(file)]));

/** Every file that `start` reaches, with the file through which it was reached first. */
function reachedFrom(start: string): Map<string, string> {
  const through = new Map<string, string>();
  const open = [start];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    for (const target of imports.get(file) ?? []) {
      if (target === start || through.has(target)) continue;
      through.set(target, file);
      open.push(target);
    }
  }
  return through;
}

/** The way from `start` to `target`, to be read in a failed test. */
function way(through: Map<string, string>, start: string, target: string): string {
  const files = [target];
  while (files[0] !== start) files.unshift(through.get(files[0])!);
  return files.join(' → ');
}

describe('imports', () => {
  it('are found at all, the workers started by address among them', () => {
    expect([...imports.values()].flat().length).toBeGreaterThan(500);
    expect(imports.get(join('infer', 'model-thread.ts'))).toContain(join('infer', 'model-worker.ts'));
  });

  it('lead to files that exist', () => {
    const dangling = [...imports].flatMap(([file, targets]) =>
      targets
        .filter((target) => !target.startsWith('..') && !imports.has(target) && !target.includes('kernels'))
        .map((target) => `${file} imports ${target}`),
    );
    expect(dangling).toEqual([]);
  });

  it('never leave src', () => {
    expect([...imports].filter(([, targets]) => targets.some((target) => target.startsWith('..')))).toEqual([]);
  });

  it('of every area but the program itself have a rule', () => {
    const areas = new Set([...imports.keys()].map(areaOf));
    expect([...areas].filter((area) => area !== 'cli' && !(area in MAY_REACH))).toEqual([]);
  });

  it('of a central entity, from its command on, reach nothing that reads embeddings, labels or the coordinator’s tables', () => {
    const allowed = new Set(['base', 'cli', 'core', 'errors.ts', 'exchange', 'shares']);
    const breaches = [...imports.keys()]
      .filter((file) => file.startsWith(join('cli', 'entity', '')) || file.startsWith(join('shares', 'entity', '')))
      .flatMap((file) => {
        const through = reachedFrom(file);
        return [...through.keys()]
          .filter((target) => !allowed.has(areaOf(target)))
          .map((target) => way(through, file, target));
      });
    expect(breaches).toEqual([]);
  });

  it.each(Object.keys(MAY_REACH))('of %s reach only what it may see, through third files too', (area) => {
    const allowed = new Set([area, 'errors.ts', ...MAY_REACH[area]]);
    const breaches = [...imports.keys()]
      .filter((file) => areaOf(file) === area)
      .flatMap((file) => {
        const through = reachedFrom(file);
        return [...through.keys()]
          .filter((target) => !allowed.has(areaOf(target)))
          .map((target) => way(through, file, target));
      });
    expect(breaches).toEqual([]);
  });
});
