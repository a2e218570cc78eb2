// The published package: packed, installed by name into an empty folder, imported, type-checked and run from there.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { beforeAll, describe, expect, test } from 'vitest';
import { docPrograms, missingLine } from '../support/doc-programs.ts';
import { linkPackage, npm, type PackedPackage, packPackage } from '../support/packed-package.ts';
import { suiteDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { toyBundles } from '../support/toy-bundles.ts';
import { unexportedTypes } from '../support/unexported-types.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Programs of people who installed the package: the examples, and one that uses every entry point. */
const PROGRAMS = [join(ROOT, 'examples'), join(ROOT, 'test', 'fixtures', 'consumer')].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name)),
);
const ONNX = join(ROOT, 'test', 'fixtures', 'onnx', 'lstm.onnx');
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');

interface Entry {
  /** The least that a program must be able to import from it. */
  offers: string[];
  /** The packages that its import may load, or any but the heavy ones. Whatever else it needs, it loads on use. */
  loads?: string[];
}

const ARROW = ['apache-arrow', 'flatbuffers', 'tslib'];
const ENTRIES: Record<string, Entry> = {
  '.': { offers: ['fuse', 'loadModel', 'recommendedPreset'], loads: [...ARROW, 'zod'] },
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
  './shares': {
    offers: ['fuseWithEntities', 'openNumbers', 'pushShares', 'runEntity', 'Scheme', 'shareNumbers'],
    loads: [...ARROW, 'jose', 'zod'],
  },
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
    linkPackage(packed.consumer, 'onnxruntime-web');
    for (const file of PROGRAMS) copyFileSync(file, join(packed.consumer, basename(file)));
  });

  test('has these entry points, each with declarations and a purpose on line one', () => {
    const names = Object.keys(packed.manifest.exports).filter((name) => name !== './package.json');
    expect(names.sort()).toEqual(Object.keys(ENTRIES).sort());
    for (const name of names) {
      const { types, default: file } = packed.manifest.exports[name] as { types: string; default: string };
      expect(types).toBe(file.replace('.mjs', '.d.mts'));
      const source = readFileSync(join(ROOT, file.replace('./dist', 'src').replace('.mjs', '.ts')), 'utf8');
      expect(source).toMatch(/^\/\/ /);
      expect(readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')).toContain(`\`${name}\``);
    }
  });

  test.each(Object.entries(ENTRIES))(
    '%s offers what it promises and loads no more than it needs',
    (entry, expected) => {
      const specifier = join('federated-feature-fusion', entry);
      const { names, files } = JSON.parse(
        run(process.execPath, '--input-type=module', '-e', WATCHED_IMPORT(specifier)),
      ) as {
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

  test('is found nothing wrong with by publint', async () => {
    const { messages } = await publint({ pkgDir: packed.installed, pack: false, strict: true });
    expect(messages.map((message) => formatMessage(message, packed.manifest))).toEqual([]);
  });

  test('has declarations that resolve to what Node and bundlers load, say Are the types wrong', () => {
    const attw = join(ROOT, 'node_modules', '@arethetypeswrong', 'cli', 'dist', 'index.js');
    const said = run(process.execPath, attw, packed.tarball, '--profile', 'esm-only', '--no-color', '--no-emoji');
    const entries = Object.keys(packed.manifest.exports).length;
    expect(said.match(/^node16 \(from ESM\): OK/gm)).toHaveLength(entries);
    expect(said.match(/^bundler: OK/gm)).toHaveLength(entries);
  });

  test.each([
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('type-checks in strict programs with module %s, moduleResolution %s', (module, moduleResolution) => {
    const { consumer } = packed;
    const config = join(consumer, `tsconfig.${moduleResolution}.json`);
    const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
    const compilerOptions = { ...strict, module, moduleResolution, target: 'es2024', types: ['node'], noEmit: true };
    writeFileSync(config, JSON.stringify({ compilerOptions, files: PROGRAMS.map((file) => basename(file)) }));
    const { status, stdout } = spawnSync(process.execPath, [TSC, '-p', config], { cwd: consumer, encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });

  test('has declarations that check in full without the types of browsers', () => {
    const { consumer } = packed;
    const config = join(consumer, 'tsconfig.full.json');
    const lib = ['es2024', 'esnext.disposable', 'esnext.iterator'];
    const modules = { module: 'nodenext', moduleResolution: 'nodenext', target: 'es2024', lib, types: ['node'] };
    const compilerOptions = { ...modules, strict: true, skipLibCheck: false, noEmit: true };
    writeFileSync(config, JSON.stringify({ compilerOptions, files: PROGRAMS.map((file) => basename(file)) }));
    const { stdout } = spawnSync(process.execPath, [TSC, '-p', config], { cwd: consumer, encoding: 'utf8' });
    // Others' declarations are theirs to mend.
    expect(stdout.split('\n').filter((line) => line.includes('federated-feature-fusion/dist'))).toEqual([]);
  });

  test('runs a federation from its entry points, with the worker threads and kernels of dist', () => {
    const report = JSON.parse(run(process.execPath, 'federation.ts', join(dir, 'federation')));
    expect(report).toMatchObject({
      gradient: [-1, 1],
      owners: 3,
      predicted: 80,
      state: 'done',
      answer: { sample: 's000000', model: 1, owners: ['pmu-0'] },
      refusal: 'F3_DATA_UNREADABLE',
    });
  });

  test('has every file that is started by its address', () => {
    const dist = join(packed.installed, 'dist');
    const started = readdirSync(dist, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.mjs'))
      .flatMap((file) => {
        const addresses = readFileSync(join(dist, file), 'utf8').matchAll(/new URL\(["'`]\.\/([\w-]+)[^)]*\)/g);
        return [...addresses].map(([, name]) => join(dirname(file), `${name}.mjs`));
      });
    expect(started.length).toBeGreaterThanOrEqual(7);
    expect(started.filter((file) => !existsSync(join(dist, file)))).toEqual([]);
  });

  test('brings the empty database that new ones are copies of, made by the PGlite that it depends on', () => {
    const file = join(packed.installed, 'dist', 'storage', 'database', 'build', 'empty-database.br');
    const [head] = readFileSync(file, 'latin1').split('\n', 1);
    expect(JSON.parse(head)).toMatchObject({ pglite: packed.manifest.dependencies['@electric-sql/pglite'] });
  });

  test('times a training in a process of its own', () => {
    const sizes = { owners: 3, samples: 60, width: 4, missing: 0 };
    const request = { graph: 'icdf', graphsPer: 'batch', epochs: 1, batch: 20, seed: 1, threads: 1, classes: 2 };
    const worker = join(packed.installed, 'dist', 'reproduce', 'tables', 'time-worker.mjs');
    const reply = JSON.parse(run(process.execPath, worker, JSON.stringify({ ...request, data: sizes })));
    expect(reply).toMatchObject({ owners: 3, samples: 60, width: 4 });
  });

  test.each([
    ['fuse-arrays', [], /^F1 on the test part: 1\nevent-3: storm, said 1 of 2 owners$/],
    [
      'fuse-files',
      [],
      /^F1 0\.\d+, calibration error 0\.\d+\n0 % of owners absent: F1 0\.\d+\n50 % of owners absent: F1 0\.\d+$/,
    ],
    [
      'predict-with-absent-owners',
      [],
      /^(without owner-\d: F1 .+\n){3}strongest edge: owner-\d – owner-\d, 0\.\d\d\ns0: .+, from 2 of 8 owners$/,
    ],
    ['owner-with-onnx', [ONNX], /50 samples, 5 numbers each, \d+ bytes; no window is in it$/],
    [
      'on-shares',
      [],
      /^entity 1 holds of 2\.5: \d+…\nentities 1 and 3 open: 2\.5, -1\nF1 on the test part: \d.*\nevent-3: storm, said north\nopened to the coordinator: [\d,]+ logits; nothing else\n/,
    ],
    ['coordinator-in-app', [], /^epoch 60, validation loss .+\n\{"model":1,.*"class":"storm"/],
  ])('runs the example %s', (name, args, expected) => {
    expect(run(process.execPath, `${name}.ts`, ...args).trim()).toMatch(expected);
  });

  test('has the ten lines of README for an example', () => {
    const [{ code }] = docPrograms(readFileSync(join(ROOT, 'README.md'), 'utf8'));
    expect(readFileSync(join(ROOT, 'examples', 'fuse-arrays.ts'), 'utf8')).toContain(code);
  });

  test.each(['README.md', ...readdirSync(join(ROOT, 'docs', 'api')).map((file) => join('docs', 'api', file))])(
    'runs the programs in %s, which print what they say',
    (file) => {
      const programs = docPrograms(readFileSync(join(ROOT, file), 'utf8'));
      expect(programs.length).toBeGreaterThan(0);
      for (const { code, prints } of programs) {
        // A folder of its own inside the consumer's, where bundles and labels lie for the programs that read some.
        const place = mkdtempSync(join(packed.consumer, 'program-'));
        toyBundles(place);
        writeFileSync(join(place, 'program.mjs'), code);
        expect(missingLine(prints, runIn(place, process.execPath, 'program.mjs'))).toBeUndefined();
      }
    },
  );

  test('brings the command f3, which npx finds', () => {
    expect(npm(packed.consumer, 'exec', '--no', '--', 'f3', '--version').trim()).toBe(packed.manifest.version);
    expect(npm(packed.consumer, 'exec', '--no', '--', 'f3', '--help')).toContain('Usage: f3');
  });

  test('brings the documents that its messages name, and the configs of its experiments', () => {
    const dist = join(packed.installed, 'dist');
    const named = readdirSync(dist, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.mjs'))
      .flatMap((file) => readFileSync(join(dist, file), 'utf8').match(/(?<![\w/.])docs\/[\w/-]+\.md/g) ?? []);
    expect(named).toContain('docs/bundle-format.md');
    expect([...new Set(named)].filter((file) => !existsSync(join(packed.installed, file)))).toEqual([]);
    expect(existsSync(join(packed.installed, 'experiments', 'table-2', 'config.json'))).toBe(true);
  });

  test('plays the demo', () => {
    const command = join(packed.consumer, 'node_modules', '.bin', 'f3');
    const out = join(dir, 'demo');
    const result = JSON.parse(run(command, 'demo', '--owners', '4', '--samples', '100', '--out', out, '--json'));
    expect(result).toMatchObject({ simulated: true, owners: 4, samples: 100 });
    expect(existsSync(join(out, 'report.html'))).toBe(true);
  });

  /** In the consumer's folder, with the Node of this test in front, as npm scripts have it. */
  function run(command: string, ...args: string[]): string {
    return runIn(packed.consumer, command, ...args);
  }

  function runIn(cwd: string, command: string, ...args: string[]): string {
    const path = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
    const env = { ...process.env, PATH: path, LENGTH: '6', VARIATES: '2' }; // of the windows that the ONNX model takes
    const options = { cwd, env, encoding: 'utf8' } as const;
    const { status, stdout, stderr } = spawnSync(command, args, options);
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    return stdout;
  }
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

test('a program that prints something else than its comment says is found', () => {
  const block = "import 'node:os';\nconsole.log(1 + 1); // 3\nconsole.log('end'); // end\n";
  const [{ prints }] = docPrograms(`# Text\n\n\`\`\`js\n${block}\`\`\`\n`);
  expect(prints).toEqual(['3', 'end']);
  expect(missingLine(prints, '2\nend\n')).toBe('3');
  expect(missingLine(prints, 'end\n3\n')).toBe('end');
  expect(missingLine(prints, 'start\n3\nend\n')).toBeUndefined();
  expect(() => docPrograms('```js\nmodel.dispose();\n```\n')).toThrow(
    'must begin with an import, got model.dispose();',
  );
});

const isOwn = (url: string): boolean => url.includes('/federated-feature-fusion/dist/');

/** `@scope/name` or `name` of a file in node_modules. */
function packageOf(url: string): string {
  const found = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url);
  if (!found) throw new Error(`${url}: must lie in a package`);
  return found[1];
}
