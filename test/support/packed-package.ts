// The package as a user gets it: packed by npm from a fresh clone, and installed by name in an otherwise empty folder.
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sha256 } from '../../src/base/sha256.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** What a build needs of a clone. node_modules is linked, because a fresh one would come from the network. */
export const NEEDED_TO_PACK = [
  '.npmrc',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsdown.config.ts',
  'dashboard',
  'scripts',
  'src',
  'docs',
  'examples',
  'experiments',
  'deploy',
  'README.md',
  'LICENSE',
  'ARCHITECTURE.md',
  'FIDELITY.md',
];

export interface Manifest {
  name: string;
  version: string;
  exports: Record<string, string | { types: string; default: string }>;
  dependencies: Record<string, string>;
}

export interface PackedPackage {
  manifest: Manifest;
  /** The file that `npm publish` would send. */
  tarball: string;
  /** A project that has the package and nothing else but what npm would have brought with it. */
  consumer: string;
  /** The package inside of it. */
  installed: string;
}

/** Works inside `dir`, which must be empty and outside of the repository, where Node would find packages nobody declared. */
export function packPackage(dir: string): PackedPackage {
  requireReady();
  const place = realpathSync(dir); // as TypeScript and Node name what lies in it
  const clone = join(place, 'clone');
  for (const path of NEEDED_TO_PACK) cpSync(join(ROOT, path), join(clone, path), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  npm(clone, 'pack', '--pack-destination', place); // runs prepack, which builds
  const [tarball] = readdirSync(place).filter((name) => name.endsWith('.tgz'));
  return install(place, join(place, tarball));
}

/** A clone that is not ready would install packages first, through the link into the repository's own. */
function requireReady(): void {
  const lock = sha256(readFileSync(join(ROOT, 'package-lock.json')));
  const stamp = join(ROOT, 'node_modules', '.f3-lock-hash');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  throw new Error('node_modules: must be those of package-lock.json; node scripts/setup.mjs installs them');
}

/** Installs as `npm install <tarball>` would, with the packages of the repository instead of those of the registry. */
function install(dir: string, tarball: string): PackedPackage {
  const consumer = join(dir, 'consumer');
  const installed = join(consumer, 'node_modules', 'federated-feature-fusion');
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as Manifest;
  for (const name of [...Object.keys(manifest.dependencies), '@types/node']) linkPackage(consumer, name);
  const project = { name: 'consumer', private: true, type: 'module' };
  const dependencies = { [manifest.name]: `file:${tarball}` };
  writeFileSync(join(consumer, 'package.json'), JSON.stringify({ ...project, dependencies }));
  npm(consumer, 'rebuild', manifest.name); // links its commands, as an install does
  return { manifest, tarball, consumer, installed };
}

/** A package of the repository, for a project that has installed it too. */
export function linkPackage(consumer: string, name: string): void {
  const link = join(consumer, 'node_modules', name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules', name), link);
}

/** Leaves out what the outer npm said about itself, which the inner one would take for its own. It never asks a registry. */
export function npm(cwd: string, ...args: string[]): string {
  const kept = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name) || /^npm_config_cache$/i.test(name));
  const env = { ...Object.fromEntries(kept), npm_config_offline: 'true', npm_config_audit: 'false' };
  return execFileSync('npm', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
