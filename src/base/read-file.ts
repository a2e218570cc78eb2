// Reads a file, or says in one line why not.
import { access, constants, readFile } from 'node:fs/promises';
import { F3Error } from '../errors.ts';

export async function readBytes(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

export async function readText(file: string): Promise<string> {
  return (await readBytes(file)).toString('utf8');
}

/** For files that a library opens itself, whose own complaint would say less than the system's. */
export async function checkReadable(file: string): Promise<void> {
  try {
    await access(file, constants.R_OK);
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

/** `F3_DATA_UNREADABLE` for a file that the system would not open or that is not in its format. */
export function unreadable(file: string, cause: unknown, rule = 'must be readable'): F3Error {
  const { code, message } = cause as NodeJS.ErrnoException;
  const reason = { ENOENT: 'no such file', EISDIR: 'a directory', EACCES: 'no permission' }[code ?? ''] ?? message;
  // Libraries append hints over many lines; the first says what is wrong.
  return new F3Error('F3_DATA_UNREADABLE', `${file}: ${rule}, got ${reason.split('\n')[0]}`, { cause });
}
