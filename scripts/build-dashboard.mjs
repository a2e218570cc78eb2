// Builds the dashboard's page from dashboard/ into dashboard/build with Vite, when something that it is made from changed.
// Plain JavaScript for any Node >= 20, but the build itself wants Node 24: setup.mjs starts this file with it.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'dashboard');
const target = join(folder, 'build');
const stamp = join(target, 'stamp');
const lockfile = join(root, 'package-lock.json');
/** The page's packages: another version of one of them is another page. */
const PACKAGES = /^node_modules\/(@preact\/|preact$|vite$|rolldown$|sigma$|graphology|d3-)/;

/** Every file of the folder; builds, also those of others that are under way, are left out. */
function ownFiles() {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath ?? entry.path, entry.name)))
    .filter((file) => !file.startsWith(`dashboard${sep}build`));
}

/** `others` are files outside of the folder that went into the page. */
function fingerprint(others) {
  const hash = createHash('sha256');
  const { packages } = JSON.parse(readFileSync(lockfile, 'utf8'));
  for (const [path, { version }] of Object.entries(packages))
    if (PACKAGES.test(path)) hash.update(`${path} ${version}\n`);
  for (const file of [...ownFiles(), relative(root, fileURLToPath(import.meta.url)), ...others].sort()) {
    hash.update(`\0${file}\0`);
    if (existsSync(join(root, file))) hash.update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

export function dashboardIsCurrent() {
  if (!existsSync(stamp) || !existsSync(join(target, 'index.html'))) return false;
  const { hash, others } = JSON.parse(readFileSync(stamp, 'utf8'));
  return hash === fingerprint(others);
}

/** The page is built beside its place and renamed, so that a server finds a whole one. */
export async function buildDashboard() {
  const { build } = await import('vite');
  const temporary = `${target}.${process.pid}.tmp`;
  const read = new Set();
  const isOurs = (file) => file.startsWith(root + sep) && !file.includes(`${sep}node_modules${sep}`);
  const note = {
    name: 'note-files',
    configResolved({ plugins }) {
      for (const file of plugins.find(({ name }) => name === 'f3-generated').api.from) read.add(relative(root, file));
    },
    buildEnd() {
      for (const file of this.getModuleIds()) {
        const path = file.split('?')[0];
        if (isOurs(path) && !path.startsWith(folder + sep)) read.add(relative(root, path));
      }
    },
  };
  try {
    await build({
      configFile: join(folder, 'vite.config.ts'),
      configLoader: 'native',
      plugins: [note],
      build: { outDir: temporary },
    });
    const others = [...read].sort();
    writeFileSync(join(temporary, 'stamp'), JSON.stringify({ hash: fingerprint(others), others }));
    rmSync(target, { recursive: true, force: true });
    renameSync(temporary, target);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

if (resolve(process.argv[1] ?? '') === fileURLToPath(import.meta.url) && !dashboardIsCurrent()) {
  await buildDashboard();
}
