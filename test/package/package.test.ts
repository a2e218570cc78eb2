// The published package: packed, installed by name into an empty folder, imported, type-checked and run from there.
import { execFileSync } from 'node:child_process';
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { type PackedPackage, packPackage } from '../support/packed-package.ts';
import { suiteDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { unexportedTypes } from '../support/unexported-types.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Entry {
  /** The least that a program must be able to import from it. */
  offers: string[];
  /** The packages that its import may load, or any but the heavy ones. Whatever else it needs, it loads on use. */
  loads?: string[];
}

const ARROW = ['apache-arrow', 'flatbuffers', 'tslib'];
const ENTRIES: Record<string, Entry> = {
  '.': { offers: [], loads: [...ARROW, 'zod'] },
  './bundle': {
    offers: ['checkBundle', 'decodeBundle', 'decodeLabels', 'encodeBundle', 'readBundles', 'writeBundle'],
    loads: ARROW,
  },
  './client': {
    offers: ['CoordinatorClient', 'joinFederation', 'openMembership', 'trainingEvents', 'upload'],
    loads: ['jose'],
  },
  './core': { offers: ['Adam', 'Engine', 'RandomStream', 'Tape', 'initialise', 'ops', 'theory'], loads: [] },
  './data': {
    offers: ['importTable', 'importTraffic', 'openDataset', 'simulateGrid', 'simulatePlanted', 'writeDataset'],
    loads: ARROW,
  },
  './embed': { offers: ['LiveEmbedder', 'OnnxModel', 'embedOwner', 'trainAllOwners', 'trainOwner'], loads: ARROW },
  './fuse': {
    offers: ['BundleJoin', 'fuseOwners', 'loadFusedModel', 'paperPreset', 'recommendedPreset', 'saveFusedModel'],
    loads: [...ARROW, 'zod'],
  },
  './infer': { offers: ['ServedModel', 'absenceCurve', 'predictAll'], loads: [...ARROW, 'zod'] },
  './server': { offers: ['startServer', 'startTrainingWorker'] },
};
/** Large, native or optional: a call that needs them loads them, an import never does. */
const HEAVY = ['@duckdb/node-api', '@electric-sql/pglite', 'h5wasm', 'onnxruntime-node', 'onnxruntime-web', 'vega'];

/** Imports a module and says what it exports and which files were loaded for it. */
const WATCHED_IMPORT = (specifier: string) => `
  import { registerHooks } from 'node:module';
  const files = [];
  registerHooks({ load(url, context, next) { files.push(url); return next(url, context); } });
  const names = Object.keys(await import('${specifier}'));
  console.log(JSON.stringify({ names, files }));`;

describe('the package', () => {
  const dir = suiteDirectory();
  let packed: PackedPackage;
  beforeAll(() => {
    packed = packPackage(dir);
  });

  /** Runs a program that was typed on the command line, in the consumer's folder. */
  const runProgram = (text: string): string =>
    execFileSync(process.execPath, ['--input-type=module', '-e', text], { cwd: packed.consumer, encoding: 'utf8' });

  test('has these entry points, each with declarations and a purpose on line one', () => {
    const names = Object.keys(packed.manifest.exports).filter((name) => name !== './package.json');
    expect(names.sort()).toEqual(Object.keys(ENTRIES).sort());
    for (const name of names) {
      const { types, default: file } = packed.manifest.exports[name] as { types: string; default: string };
      expect(types).toBe(file.replace('.mjs', '.d.mts'));
      const source = readFileSync(join(ROOT, file.replace('./dist', 'src').replace('.mjs', '.ts')), 'utf8');
      expect(source).toMatch(/^\/\/ /);
    }
  });

  test.each(Object.entries(ENTRIES))(
    '%s offers what it promises and loads no more than it needs',
    (entry, expected) => {
      const specifier = join('federated-feature-fusion', entry);
      const { names, files } = JSON.parse(runProgram(WATCHED_IMPORT(specifier))) as {
        names: string[];
        files: string[];
      };
      expect(names).toEqual(expect.arrayContaining([...expected.offers, 'F3Error']));
      const [own, others] = [files.filter(isOwn), files.filter((file) => !isOwn(file) && !file.startsWith('node:'))];
      expect(own.length).toBeGreaterThan(2);
      const loaded = new Set(others.map(packageOf));
      const allowed = expected.loads ?? [...loaded].filter((name) => !HEAVY.includes(name));
      expect([...loaded].filter((name) => !allowed.includes(name))).toEqual([]);
      const outside = own.filter((file) => !/\/dist\/(_virtual|base|core)\/|\/dist\/errors\.mjs$/.test(file));
      if (entry === './core') expect(outside).toEqual([]);
      else expect(outside).not.toEqual([]);
    },
  );

  test('exports every type that a public declaration mentions', () => {
    const { installed, consumer, manifest } = packed;
    const entries = Object.values(manifest.exports).flatMap((target) =>
      typeof target === 'string' ? [] : [join(installed, target.types)],
    );
    expect(unexportedTypes(consumer, join(installed, 'dist'), entries)).toEqual([]);
  });
});

test('a type that is mentioned and not exported is found', () => {
  const dir = realpathSync(temporaryDirectory());
  const entry = join(dir, 'index.d.mts');
  writeFileSync(
    join(dir, 'hidden.d.mts'),
    'export interface Hidden { count: number }\nexport declare class Shown {}\n',
  );
  const text = `import { Hidden, Shown } from './hidden.mjs';
    interface Local { hidden: Hidden }
    export declare function make(shown: Shown): Promise<Local>;
    export interface Options<T> extends Partial<Hidden> { value: T }
    export { Shown };`;
  writeFileSync(entry, text);
  expect(unexportedTypes(dir, dir, [entry])).toEqual([
    'Options (index.d.mts) mentions Hidden (hidden.d.mts)',
    'make (index.d.mts) mentions Local (index.d.mts)',
  ]);
});

const isOwn = (url: string): boolean => url.includes('/federated-feature-fusion/dist/');

/** `@scope/name` or `name` of a file in node_modules. */
function packageOf(url: string): string {
  const found = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url);
  if (!found) throw new Error(`${url}: must lie in a package`);
  return found[1];
}
