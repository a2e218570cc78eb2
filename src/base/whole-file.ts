// A file that is there whole or not at all: written under another name beside its place, then renamed.
import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type ErrorCode, F3Error } from '../errors.ts';
import { unwritable } from './unwritable.ts';

/** Called before the work, so that a wrong target costs no waiting. */
export function checkFileTarget(file: string, overwrite: boolean): void {
  if (existsSync(file) && !overwrite) {
    throw new F3Error('F3_OUTPUT', `output ${file}: must not exist yet`, { remedy: 'overwrite' });
  }
  const parent = statSync(dirname(resolve(file)), { throwIfNoEntry: false });
  if (parent?.isDirectory()) return;
  const found = parent ? 'a path through a file' : 'no such directory';
  throw new F3Error('F3_OUTPUT', `output ${file}: must be writable, got ${found}`);
}

/** `thing` and `code` are for the error when the file cannot be written. */
export function writeWholeFile(
  file: string,
  content: string | Uint8Array,
  thing = `output ${file}`,
  code: ErrorCode = 'F3_OUTPUT',
): void {
  const target = resolve(file);
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
  try {
    writeFileSync(temporary, content);
    renameSync(temporary, target);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw unwritable(thing, cause, code);
  }
}
