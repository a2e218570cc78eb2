// Makes an empty embedded database and packs it into one file beside the code that unpacks it, when PGlite's version changed: making
// one takes seconds of work, unpacking it a moment. Plain JavaScript for any Node >= 20, with nothing of src.
//
// The file: a line of JSON with PGlite's version and the SHA-256 of the rest, which is compressed with Brotli: a line of JSON that lists
// folders and files, then the content of each file that no file before it had.

import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const build = join(root, 'src', 'storage', 'database', 'build');
const target = join(build, 'empty-database.br');
const stamp = join(build, 'stamp');
const manifest = join(root, 'node_modules', '@electric-sql', 'pglite', 'package.json');

const versionOfPGlite = () => JSON.parse(readFileSync(manifest, 'utf8')).version;
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** What the file depends on: PGlite's version and this script. */
const fingerprint = () =>
  sha256(JSON.stringify([versionOfPGlite(), readFileSync(fileURLToPath(import.meta.url), 'utf8')]));

/** Readers see the old file or the new one, never half of one. */
function writeWhole(path, content) {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, content);
  renameSync(temporary, path);
}

/** Folders have no content, and files with the same content share one: two thirds are copies that PostgreSQL makes of its templates. */
function pack(dir) {
  const found = readdirSync(dir, { recursive: true, withFileTypes: true })
    .map((entry) => ({ path: join(entry.parentPath ?? entry.path, entry.name), isFile: entry.isFile() }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const contents = new Map();
  const entries = found.map(({ path, isFile }) => {
    const name = relative(dir, path).split(sep).join('/');
    if (!isFile) return { folder: name };
    const bytes = readFileSync(path);
    const hash = sha256(bytes);
    if (!contents.has(hash)) contents.set(hash, { index: contents.size, bytes });
    return { file: name, content: contents.get(hash).index };
  });
  const parts = [...contents.values()].map(({ bytes }) => bytes);
  const index = { entries, sizes: parts.map(({ length }) => length) };
  return Buffer.concat([Buffer.from(`${JSON.stringify(index)}\n`), ...parts]);
}

/** The log repeats what the files say, at a distance that the window must reach over. */
function compress(bytes) {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT, BROTLI_MAX_WINDOW_BITS } = constants;
  const params = {
    [BROTLI_PARAM_QUALITY]: 9,
    [BROTLI_PARAM_LGWIN]: BROTLI_MAX_WINDOW_BITS,
    [BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return brotliCompressSync(bytes, { params });
}

export function emptyDatabaseIsCurrent() {
  if (!existsSync(stamp) || !existsSync(target) || !existsSync(manifest)) return false;
  return readFileSync(stamp, 'utf8') === fingerprint();
}

export async function buildEmptyDatabase() {
  const wanted = fingerprint();
  mkdirSync(build, { recursive: true });
  const { PGlite } = await import('@electric-sql/pglite');
  const dir = mkdtempSync(join(build, 'making-'));
  try {
    const database = join(dir, 'database');
    await (await PGlite.create(database)).close();
    const packed = compress(pack(database));
    const head = { pglite: versionOfPGlite(), sha256: sha256(packed) };
    writeWhole(target, Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), packed]));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  writeWhole(stamp, wanted);
}
