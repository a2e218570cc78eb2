// Makes a clone ready to run: packages from the lockfile, Node 24 from the `node` package, compiled kernels, the
// empty database that new ones are copies of, the dashboard's page.
// Plain JavaScript for any Node >= 20. Silent when there is nothing to do; otherwise it speaks on stderr.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dashboardIsCurrent } from './build-dashboard.mjs';
import { buildEmptyDatabase, emptyDatabaseIsCurrent } from './build-empty-database.mjs';
import { buildKernels, kernelsAreCurrent } from './build-kernels.mjs';
import { withLock } from './lock.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const modules = join(root, 'node_modules');
const stamp = join(modules, '.f3-lock-hash');
const isWindows = process.platform === 'win32';
const nodeCommand = join(modules, '.bin', isWindows ? 'node.cmd' : 'node');

const say = (message) => process.stderr.write(`f3: ${message}\n`);
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const lockHash = () =>
  createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');

/**
 * The environment for a nested npm. Without node_modules/.bin on the path, so that npm does not run on the very binary
 * it replaces, and without what the outer npm says about itself, which would redirect the inner one.
 */
function npmEnvironment() {
  const env = { ...process.env };
  for (const key of Object.keys(env)) {
    if (/^npm_(config_(local_prefix|global|global_prefix|prefix)|lifecycle_|package_|command$)/i.test(key))
      delete env[key];
  }
  const pathKey = Object.keys(env).find((key) => key.toLowerCase() === 'path') ?? 'PATH';
  const outside = (entry) => !resolve(entry).startsWith(modules);
  env[pathKey] = (env[pathKey] ?? '').split(delimiter).filter(outside).join(delimiter);
  return env;
}

/** Runs npm; its output goes to stderr, so that ours can be piped. Returns what went wrong, or ''. */
function npm(...args) {
  const options = { cwd: root, shell: isWindows, env: npmEnvironment(), stdio: ['ignore', 2, 2] };
  const { status, error } = spawnSync('npm', args, options);
  return error ? error.message : status === 0 ? '' : `exit code ${status}`;
}

/** Does node_modules already hold the locked versions, as after a manual `npm install`? Then leave it in place. */
function isInstalledAsLocked() {
  if (!existsSync(join(modules, '.package-lock.json'))) return false; // npm writes it last: an install was cut short
  const { '': _project, ...locked } = readJson(join(root, 'package-lock.json')).packages;
  return Object.entries(locked).every(([path, { version, optional }]) => {
    const manifest = join(root, path, 'package.json');
    return existsSync(manifest) ? readJson(manifest).version === version : optional; // optional: another platform's
  });
}

const packagesAreCurrent = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === lockHash();

function installPackages() {
  const hash = lockHash();
  if (!isInstalledAsLocked()) {
    say('installing packages (npm ci)');
    const failure = npm('ci', '--include=dev', '--loglevel=error', '--no-audit', '--no-fund');
    if (failure) throw new Error(`npm ci failed: ${failure}. Is the npm registry reachable?`);
  }
  const temporary = `${stamp}.${process.pid}.tmp`;
  writeFileSync(temporary, hash);
  renameSync(temporary, stamp);
}

function nodeVersion() {
  const { stdout } = spawnSync(nodeCommand, ['--version'], { encoding: 'utf8', shell: isWindows });
  return (stdout ?? '').trim();
}

const wantedNode = () => `v${readJson(join(root, 'package.json')).devDependencies.node}`;

/** The `node` package fetches its binary in an install script. Where scripts are switched off, run that one. */
function installNode() {
  const wanted = wantedNode();
  say(`fetching Node ${wanted} from the npm registry`);
  const failure = npm('rebuild', 'node', '--ignore-scripts=false', '--loglevel=error');
  const found = nodeVersion();
  if (found === wanted) return;
  const platform = `${process.platform}-${process.arch}`;
  const cause = failure || `found ${found || 'no binary'}`;
  throw new Error(
    `Node ${wanted} for ${platform} could not be installed into node_modules/node (${cause}). ` +
      `Check that the npm registry is reachable and offers the package node-${platform}, then delete node_modules and retry.`,
  );
}

/** Vite and the sources that the page follows from want Node 24, so the build runs on it. */
function buildPage() {
  const script = join(root, 'scripts', 'build-dashboard.mjs');
  const { status } = spawnSync(nodeCommand, [script], { cwd: root, shell: isWindows, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('the dashboard could not be built; what Vite said stands above');
}

const isReady = () =>
  packagesAreCurrent() &&
  nodeVersion() === wantedNode() &&
  kernelsAreCurrent() &&
  emptyDatabaseIsCurrent() &&
  dashboardIsCurrent();

async function setUp() {
  if (!packagesAreCurrent()) installPackages();
  if (nodeVersion() !== wantedNode()) installNode();
  if (!kernelsAreCurrent()) {
    say('building kernels');
    await buildKernels();
  }
  if (!emptyDatabaseIsCurrent()) {
    say('making an empty database');
    await buildEmptyDatabase();
  }
  if (!dashboardIsCurrent()) {
    say('building the dashboard');
    buildPage();
  }
}

try {
  if (!isReady()) await withLock(join(root, '.setup.lock'), setUp);
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}
