// Compiles src/core/kernels to WebAssembly, once with plain SIMD and once with relaxed SIMD, when their sources changed.
// Beside each module lies a .d.ts of its exports: `typeof import('./kernels/build/simd.js')`.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const kernels = join(root, 'src', 'core', 'kernels');
const build = join(kernels, 'build');
const stamp = join(build, 'stamp');
const compilerManifest = join(root, 'node_modules', 'assemblyscript', 'package.json');

const variants = {
  simd: ['--enable', 'simd', '--enable', 'threads'],
  relaxed: ['--enable', 'simd', '--enable', 'threads', '--enable', 'relaxed-simd'],
};

// The memory is the host's: shared between threads, at least 1 MiB, at most the 4 GiB a 32-bit address reaches.
const flags = [
  ...['--runtime', 'stub', '-O3', '--noAssert'],
  ...['--importMemory', '--sharedMemory', '--initialMemory', '16', '--maximumMemory', '65536'],
];

const outputsOf = (name) => [`${name}.wasm`, `${name}.d.ts`];

function sources() {
  return readdirSync(kernels, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!\.d|\.test)\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

/** What the builds depend on: the sources, this script and the compiler's version. */
function fingerprint() {
  const hash = createHash('sha256');
  hash.update(JSON.parse(readFileSync(compilerManifest, 'utf8')).version);
  for (const file of [fileURLToPath(import.meta.url), ...sources()]) {
    hash.update(`\0${relative(root, file)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

/** Readers see the old file or the new one, never half of one. */
function writeWhole(path, content) {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, content);
  renameSync(temporary, path);
}

async function compile(asc, name) {
  const outputs = {};
  const entry = relative(root, join(kernels, 'index.ts'));
  const { error, stderr } = await asc.main(
    [entry, '--outFile', `${name}.wasm`, '--bindings', 'esm', ...flags, ...variants[name]],
    {
      readFile: (file, base) => {
        const path = resolve(base, file);
        return existsSync(path) ? readFileSync(path, 'utf8') : null;
      },
      writeFile: (file, content) => {
        outputs[file] = content;
      },
    },
  );
  if (error) throw new Error(`kernels (${name}): AssemblyScript failed\n${stderr.toString()}`);
  process.stderr.write(stderr.toString()); // warnings
  // The memory is ours, so its declaration goes: it would want TypeScript's types of browsers of whoever uses the package.
  outputs[`${name}.d.ts`] = outputs[`${name}.d.ts`].replace(/\/\*\* Exported memory \*\/\n.*\n/, '');
  // The generated loader is left out: ours shares one memory between threads.
  for (const file of outputsOf(name)) writeWhole(join(build, file), outputs[file]);
}

export function kernelsAreCurrent() {
  if (!existsSync(stamp) || !existsSync(compilerManifest)) return false;
  const built = Object.keys(variants)
    .flatMap(outputsOf)
    .every((file) => existsSync(join(build, file)));
  return built && readFileSync(stamp, 'utf8') === fingerprint();
}

export async function buildKernels() {
  process.chdir(root);
  const wanted = fingerprint();
  mkdirSync(build, { recursive: true });
  const { default: asc } = await import('assemblyscript/asc');
  for (const name of Object.keys(variants)) await compile(asc, name);
  writeWhole(stamp, wanted);
}

if (resolve(process.argv[1] ?? '') === fileURLToPath(import.meta.url) && !kernelsAreCurrent()) {
  process.stderr.write('f3: building kernels\n');
  await buildKernels();
}
