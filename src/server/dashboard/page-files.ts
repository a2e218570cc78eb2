// [coordinator] The built files of the dashboard, read once per process and kept with their compressed form.
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { sha256 } from '../../base/sha256.ts';

export interface PageFile {
  /** Path of its address, such as `/assets/main-4f2a.js`. */
  path: string;
  type: string;
  bytes: Buffer;
  /** Whether its name changes with its content, so that browsers may keep it for ever. */
  isNamedByContent: boolean;
  etag: string;
  /** Compressed when it is first asked for. */
  compressed(): Promise<Buffer>;
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};

/** Sources find the build beside them, the package has it in dist/dashboard. */
const FOLDER = new URL(
  extname(import.meta.url) === '.ts' ? '../../../dashboard/build/' : '../../dashboard/',
  import.meta.url,
);

const squeeze = promisify(gzip);
const known = new Map<string, PageFile[]>();

/** Returns nothing where the dashboard was not built. */
export function readPageFiles(folder: string = fileURLToPath(FOLDER)): PageFile[] {
  const found = known.get(folder) ?? listFiles(folder).map((name) => readPageFile(folder, name));
  if (found.length > 0) known.set(folder, found);
  return found;
}

function listFiles(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return entries.map((name) => name.replaceAll('\\', '/')).filter((name) => TYPES[extname(name)] !== undefined);
  } catch {
    return [];
  }
}

function readPageFile(folder: string, name: string): PageFile {
  const bytes = readFileSync(`${folder}/${name}`);
  let smaller: Promise<Buffer> | undefined;
  return {
    path: `/${name}`,
    type: TYPES[extname(name)],
    bytes,
    isNamedByContent: name.startsWith('assets/'),
    etag: `"${sha256(bytes).slice(0, 32)}"`,
    compressed: () => {
      smaller ??= squeeze(bytes) as Promise<Buffer>;
      return smaller;
    },
  };
}
