// [coordinator] Tries whether a data folder can be written, by writing to it as a commit does.
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { F3Error } from '../../errors.ts';

/** As much as a small commit writes. */
const PROBE = new Uint8Array(64 * 1024);

const REASONS: Record<string, string> = {
  EACCES: 'a folder that this user may not write; change its owner or its mode',
  EPERM: 'a folder that this user may not write; change its owner or its mode',
  EROFS: 'a read-only file system; mount it for writing',
  ENOSPC: 'a full disk; free some space or use another folder',
  EDQUOT: 'a full disk quota of this user; free some space or have it raised',
};

export type WriteProbe = (dir: string) => void;

/** Throws what the system throws. */
export function probeFolder(dir: string): void {
  const file = join(dir, `.write-probe-${process.pid}`);
  try {
    const descriptor = openSync(file, 'w', 0o600);
    try {
      writeSync(descriptor, PROBE);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } finally {
    rmSync(file, { force: true });
  }
}

/** Why the folder cannot be written, with what to do; undefined if it can. */
export function writeTrouble(dir: string, probe: WriteProbe = probeFolder): string | undefined {
  try {
    probe(dir);
    return undefined;
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException;
    return REASONS[code] ?? message;
  }
}

/** Called before anything is opened in the folder. */
export function requireWritableFolder(dir: string, probe?: WriteProbe): void {
  const trouble = writeTrouble(dir, probe);
  if (trouble) throw new F3Error('F3_STORAGE_DIRECTORY', `data folder ${dir}: must be writable, got ${trouble}`);
}
