// [wire] Bundles on disk: read whole, written whole or not at all.
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { F3Error } from '../errors.ts';
import { type Bundle, encodeBundle } from './bundle.ts';
import { type BundleFinding, requireSound } from './check-bundle.ts';

const UNREADABLE: Record<string, string> = {
  EACCES: 'no permission',
  EISDIR: 'a directory',
  ENOENT: 'no such file',
};
const UNWRITABLE: Record<string, string> = {
  EACCES: 'no permission',
  EISDIR: 'a directory',
  ENOENT: 'no such directory',
  ENOTDIR: 'a path through a file',
  EROFS: 'a read-only file system',
};

export async function readBundleFile(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = UNREADABLE[code ?? ''] ?? message;
    throw new F3Error('F3_BUNDLE_UNREADABLE', `${file}: must be readable, got ${reason}`, { cause });
  }
}

/** Refuses a bundle with errors and, unless told otherwise, to replace a file. Returns the bytes and the warnings. */
export function writeBundle(
  file: string,
  bundle: Bundle,
  { overwrite = false }: { overwrite?: boolean } = {},
): { bytes: Uint8Array; warnings: BundleFinding[] } {
  const target = resolve(file);
  checkBundleTarget(target, overwrite);
  const warnings = requireSound(bundle);
  const bytes = encodeBundle(bundle);
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
  try {
    writeFileSync(temporary, bytes);
    renameSync(temporary, target);
  } catch (cause) {
    rmSync(temporary, { force: true });
    const { code } = cause as NodeJS.ErrnoException;
    const reason = UNWRITABLE[code ?? ''];
    if (!reason) throw cause; // a full disk is not the user's mistake
    throw new F3Error('F3_BUNDLE_UNWRITABLE', `${file}: must be writable, got ${reason}`, { cause });
  }
  return { bytes, warnings };
}

/** Before the work, so that an existing file costs no waiting. */
export function checkBundleTarget(file: string, overwrite: boolean): void {
  if (overwrite || !existsSync(file)) return;
  throw new F3Error('F3_BUNDLE_EXISTS', `output file ${file}: must not exist unless --force is given`);
}
