// [coordinator] Makes a data folder if it is not there.
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { F3Error } from '../../errors.ts';
import { type WriteProbe, writeTrouble } from './writable-folder.ts';

export function makeDirectory(dir: string, probe?: WriteProbe): void {
  try {
    mkdirSync(dir, { recursive: true });
  } catch (cause) {
    // Node says of a folder on a read-only disk that it is not there, so the nearest folder that is there tells what is wrong.
    const got = writeTrouble(nearestFolder(dir), probe) ?? (cause as Error).message;
    throw new F3Error('F3_STORAGE_DIRECTORY', `data folder ${dir}: must be a folder to write in, got ${got}`, {
      cause,
    });
  }
}

function nearestFolder(dir: string): string {
  const parent = dirname(resolve(dir));
  return existsSync(parent) || parent === dirname(parent) ? parent : nearestFolder(parent);
}
