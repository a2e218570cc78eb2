// [coordinator] The empty database that scripts/build-empty-database.mjs has packed into one file: what PGlite makes of nothing, before any
// migration. It holds no row of ours, so that coordinators share nothing that is secret or that names one of them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { sha256 } from '../../base/sha256.ts';

const PACKED = new URL('build/empty-database.br', import.meta.url);

interface Head {
  /** The version that made it. */
  pglite: string;
  /** Of all that follows the head. */
  sha256: string;
}

interface Index {
  /** In an order in which a folder comes before what lies in it. */
  entries: ({ folder: string } | { file: string; content: number })[];
  /** Bytes of each content. They follow the index. */
  sizes: number[];
}

/**
 * Fills an empty folder, and says whether it did: not where the file is missing, damaged or of another PGlite than the one that is
 * installed, whose database PGlite then has to make.
 */
export function unpackEmptyDatabase(dir: string, packed: URL = PACKED): boolean {
  const body = bodyOf(packed);
  if (body) writeAll(dir, brotliDecompressSync(body));
  return body !== undefined;
}

function bodyOf(packed: URL): Buffer | undefined {
  try {
    const bytes = readFileSync(fileURLToPath(packed));
    const end = bytes.indexOf('\n');
    const head = JSON.parse(bytes.toString('utf8', 0, end)) as Head;
    const body = bytes.subarray(end + 1);
    return head.pglite === installedPGlite() && head.sha256 === sha256(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

function writeAll(dir: string, content: Buffer): void {
  const end = content.indexOf('\n');
  const { entries, sizes } = JSON.parse(content.toString('utf8', 0, end)) as Index;
  let at = end + 1;
  const contents = sizes.map((size) => {
    const start = at;
    at += size;
    return content.subarray(start, at);
  });
  for (const entry of entries) {
    if ('folder' in entry) mkdirSync(join(dir, entry.folder), { mode: 0o700 });
    else writeFileSync(join(dir, entry.file), contents[entry.content], { mode: 0o600 });
  }
}

/** PGlite neither says its version nor offers its manifest by name, which lies above its code. */
function installedPGlite(): string {
  const code = createRequire(import.meta.url).resolve('@electric-sql/pglite');
  const { version } = JSON.parse(readFileSync(join(dirname(code), '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  return version;
}
