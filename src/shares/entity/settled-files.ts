// [entity] Files that are there for good once a call returns: written beside their place, flushed to the disk, renamed.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Replaces the file whole or not at all. Only the entity's own user may read it. */
export function writeSettled(file: string, content: string | Uint8Array): void {
  const temporary = join(dirname(file), `.${basename(file)}.${process.pid}.tmp`);
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  try {
    const opened = openSync(temporary, 'w', 0o600);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(opened, bytes, at);
      fsyncSync(opened);
    } finally {
      closeSync(opened);
    }
    moveSettled(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Moves a file within a file system; its content must have been flushed. */
export function moveSettled(from: string, to: string): void {
  renameSync(from, to);
  flush(dirname(to));
}

export function removeSettled(file: string): void {
  rmSync(file, { force: true });
  flush(dirname(file));
}

/** Flushes a file or a folder. Windows opens no folders, and needs no flush of them. */
export function flush(path: string): void {
  let opened: number;
  try {
    opened = openSync(path, 'r');
  } catch (error) {
    if (process.platform === 'win32') return;
    throw error;
  }
  try {
    fsyncSync(opened);
  } catch (error) {
    if (process.platform !== 'win32') throw error;
  } finally {
    closeSync(opened);
  }
}
