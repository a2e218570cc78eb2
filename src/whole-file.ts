// A file that is there whole or not at all: written under another name beside its place, then renamed.
import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { F3Error } from './errors.ts';

const REASONS: Record<string, string> = {
  EACCES: 'no permission',
  EISDIR: 'a directory',
  ENOENT: 'no such folder',
  ENOTDIR: 'a path through a file',
  EROFS: 'a read-only file system',
};

/** Before the work, so that a wrong target costs no waiting. */
export function checkFileTarget(file: string, overwrite: boolean): void {
  if (existsSync(file) && !overwrite) {
    throw new F3Error('F3_OUTPUT', `output ${file}: must not exist unless --force is given`);
  }
  const parent = statSync(dirname(resolve(file)), { throwIfNoEntry: false });
  if (parent?.isDirectory()) return;
  const found = parent ? 'a path through a file' : 'no such folder';
  throw new F3Error('F3_OUTPUT', `output ${file}: must be writable, got ${found}`);
}

export function writeWholeFile(file: string, content: string | Uint8Array): void {
  const target = resolve(file);
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
  try {
    writeFileSync(temporary, content);
    renameSync(temporary, target);
  } catch (cause) {
    rmSync(temporary, { force: true });
    const reason = REASONS[(cause as NodeJS.ErrnoException).code ?? ''];
    if (!reason) throw cause; // a full disk is not the user's mistake
    throw new F3Error('F3_OUTPUT', `output ${file}: must be writable, got ${reason}`, { cause });
  }
}
