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

/** What a user's program can name, per entry point: the least that each has to offer. */
const OFFERED: Record<string, string[]> = {
  '.': ['F3Error'],
  './bundle': ['checkBundle', 'decodeBundle', 'decodeLabels', 'encodeBundle', 'readBundles', 'writeBundle'],
  './client': ['CoordinatorClient', 'joinFederation', 'openMembership', 'trainingEvents', 'upload'],
  './core': ['Adam', 'Engine', 'RandomStream', 'Tape', 'initialise', 'ops', 'theory'],
  './data': ['importTable', 'importTraffic', 'openDataset', 'simulateGrid', 'simulatePlanted', 'writeDataset'],
  './embed': ['LiveEmbedder', 'OnnxModel', 'embedOwner', 'trainAllOwners', 'trainOwner'],
  './fuse': ['BundleJoin', 'fuseOwners', 'loadFusedModel', 'paperPreset', 'recommendedPreset', 'saveFusedModel'],
  './infer': ['ServedModel', 'absenceCurve', 'predictAll'],
  './server': ['startServer', 'startTrainingWorker'],
};

describe('the package', () => {
  const dir = suiteDirectory();
  let packed: PackedPackage;
  beforeAll(() => {
    packed = packPackage(dir);
  });

  /** Runs a program that was typed on the command line, in the consumer's folder. */
  const runProgram = (text: string): string =>
    execFileSync(process.execPath, ['--input-type=module', '-e', text], { cwd: packed.consumer, encoding: 'utf8' });

  test('offers these entry points, each with declarations and a purpose on line one', () => {
    const entries = Object.keys(packed.manifest.exports).filter((name) => name !== './package.json');
    expect(entries.sort()).toEqual(Object.keys(OFFERED).sort());
    for (const name of entries) {
      const { types, default: file } = packed.manifest.exports[name] as { types: string; default: string };
      expect(types).toBe(file.replace('.mjs', '.d.mts'));
      const source = readFileSync(join(ROOT, file.replace('./dist', 'src').replace('.mjs', '.ts')), 'utf8');
      expect(source).toMatch(/^\/\/ /);
    }
  });

  test.each(Object.entries(OFFERED))('%s is imported by name and offers what it promises', (entry, names) => {
    const specifier = join('federated-feature-fusion', entry);
    const exported = JSON.parse(
      runProgram(`console.log(JSON.stringify(Object.keys(await import('${specifier}'))))`),
    ) as string[];
    expect(exported).toEqual(expect.arrayContaining(names));
    expect(exported).toContain('F3Error');
  });

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
