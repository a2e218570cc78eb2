// [coordinator] Makes a data folder if it is not there.
import { mkdirSync } from 'node:fs';
import { F3Error } from '../../errors.ts';

export function makeDirectory(dir: string): void {
  try {
    mkdirSync(dir, { recursive: true });
  } catch (cause) {
    const got = (cause as Error).message;
    throw new F3Error('F3_STORAGE_DIRECTORY', `data folder ${dir}: must be a folder to write in, got ${got}`, {
      cause,
    });
  }
}
