// A directory that is there whole or not at all: written under another name beside its place, then renamed.
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

/** What directories hold, with the codes of their errors. A report has no `--force`: an older one is replaced. */
const KINDS = {
  model: { rule: '--force replaces a model only', exists: 'F3_MODEL_EXISTS', unwritable: 'F3_MODEL_UNWRITABLE' },
  report: { rule: 'only an older report is replaced', exists: 'F3_OUTPUT', unwritable: 'F3_OUTPUT' },
} as const satisfies Record<string, { rule: string; exists: ErrorCode; unwritable: ErrorCode }>;

export interface WholeDirectoryOptions {
  /** Default: a model */
  kind?: keyof typeof KINDS;
  /** Replace what is there, provided it holds the file `mark`. */
  overwrite: boolean;
  /** A file that only directories of this kind have: nothing else is ever replaced. */
  mark: string;
}

/** Before the work, so that a wrong target costs no waiting. Makes nothing: the work may fail. */
export function checkTarget(dir: string, { kind = 'model', overwrite, mark }: WholeDirectoryOptions): void {
  const { exists, rule, unwritable: code } = KINDS[kind];
  const target = resolve(dir);
  if (existsSync(target) && !overwrite) {
    throw new F3Error(exists, `output ${dir}: must not exist yet`, { remedy: 'overwrite' });
  }
  if (existsSync(target) && !existsSync(join(target, mark)) && !isEmptyFolder(target)) {
    const found = statSync(target).isDirectory() ? `a folder without ${mark}` : 'a file';
    throw new F3Error(exists, `output ${dir}: ${rule}, got ${found}`);
  }
  try {
    accessSync(existingFolder(dirname(target)), constants.W_OK);
  } catch (cause) {
    throw unwritable(`output ${dir}`, cause, code);
  }
}

/** `files`: name → content */
export function writeWholeDirectory(
  dir: string,
  files: Readonly<Record<string, string | Uint8Array>>,
  options: WholeDirectoryOptions,
): void {
  checkTarget(dir, options);
  const target = resolve(dir);
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
  const old = `${temporary}.old`;
  try {
    mkdirSync(dirname(target), { recursive: true });
    mkdirSync(temporary);
    for (const [name, content] of Object.entries(files)) writeFileSync(join(temporary, name), content);
    if (existsSync(target)) renameSync(target, old);
    renameSync(temporary, target);
  } catch (cause) {
    if (existsSync(old) && !existsSync(target)) renameSync(old, target);
    throw unwritable(`output ${dir}`, cause, KINDS[options.kind ?? 'model'].unwritable);
  } finally {
    for (const path of [temporary, old]) rmSync(path, { recursive: true, force: true });
  }
}

/** The folder that missing folders of `path` would be made in. Throws what making them would throw. */
function existingFolder(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return existingFolder(dirname(path));
  if (stat.isDirectory()) return path;
  throw Object.assign(new Error(`${path} is a file`), { code: 'EEXIST' });
}

function isEmptyFolder(path: string): boolean {
  return statSync(path).isDirectory() && readdirSync(path).length === 0;
}
