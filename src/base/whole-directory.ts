// A directory that is there whole or not at all: it is filled under another name beside its place, then renamed.
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { type ErrorCode, F3Error } from '../errors.ts';
import { unwritable } from './unwritable.ts';

export interface DirectoryTarget {
  /** What such a directory holds, for messages: `a model`. */
  content: string;
  /** A file that only such directories have: nothing else is ever replaced, so that a mistyped path costs nothing. */
  mark: string;
  /** Whether such a directory, or an empty one, is replaced when it is already there. */
  overwrite: boolean;
  /** The code of the error when something else is in the way. */
  exists: ErrorCode;
  /** The code of the error when the directory cannot be written. */
  unwritable: ErrorCode;
}

/** Called before the work, so that a wrong target costs no waiting. It creates nothing, for the work may fail. */
export function checkTarget(dir: string, target: DirectoryTarget): void {
  const { content, mark, overwrite, exists, unwritable: code } = target;
  const path = resolve(dir);
  if (existsSync(path) && !overwrite) {
    throw new F3Error(exists, `output ${dir}: must not exist yet`, { remedy: 'overwrite' });
  }
  if (existsSync(path) && !existsSync(join(path, mark)) && !isEmptyFolder(path)) {
    const found = statSync(path).isDirectory() ? `a directory without ${mark}` : 'a file';
    throw new F3Error(exists, `output ${dir}: only ${content} or an empty directory is replaced, got ${found}`);
  }
  try {
    accessSync(existingFolder(dirname(path)), constants.W_OK);
  } catch (cause) {
    throw unwritable(`output ${dir}`, cause, code);
  }
}

/** Filled piece by piece under `path`; `finish` puts it in its place, `discard` leaves nothing of it. */
export class WholeDirectory {
  readonly #dir: string;
  readonly #target: DirectoryTarget;
  readonly #temporary: string;
  readonly #remove = () => rmSync(this.#temporary, { recursive: true, force: true });

  /** Throws what `checkTarget` throws. */
  constructor(dir: string, target: DirectoryTarget) {
    const path = resolve(dir);
    this.#dir = dir;
    this.#target = target;
    this.#temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
    checkTarget(dir, target);
    this.#orUnwritable(() => {
      this.#remove();
      mkdirSync(this.#temporary, { recursive: true });
    });
    // Ctrl-C and crashes leave nothing behind either.
    process.on('exit', this.#remove);
  }

  /** Where a part of the directory is to be written. */
  path(...parts: string[]): string {
    return join(this.#temporary, ...parts);
  }

  /** Puts the directory in its place. When that fails, what was there before is there again. */
  finish(): void {
    const path = resolve(this.#dir);
    const old = `${this.#temporary}.old`;
    try {
      checkTarget(this.#dir, this.#target);
      this.#orUnwritable(() => {
        if (existsSync(path)) renameSync(path, old);
        renameSync(this.#temporary, path);
      });
    } finally {
      if (existsSync(old) && !existsSync(path)) renameSync(old, path);
      rmSync(old, { recursive: true, force: true });
      this.discard();
    }
  }

  /** Removes everything written so far. */
  discard(): void {
    this.#remove();
    process.off('exit', this.#remove);
  }

  #orUnwritable(write: () => void): void {
    try {
      write();
    } catch (cause) {
      throw unwritable(`output ${this.#dir}`, cause, this.#target.unwritable);
    }
  }
}

/** `files`: name → content */
export function writeWholeDirectory(
  dir: string,
  files: Readonly<Record<string, string | Uint8Array>>,
  target: DirectoryTarget,
): void {
  const directory = new WholeDirectory(dir, target);
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(directory.path(name), content);
    directory.finish();
  } catch (cause) {
    directory.discard();
    throw unwritable(`output ${dir}`, cause, target.unwritable);
  }
}

/** The folder that missing folders of `path` would be made in. Throws what making them would throw. */
export function existingFolder(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return existingFolder(dirname(path));
  if (stat.isDirectory()) return path;
  throw Object.assign(new Error(`${path} is a file`), { code: 'EEXIST' });
}

function isEmptyFolder(path: string): boolean {
  return statSync(path).isDirectory() && readdirSync(path).length === 0;
}
