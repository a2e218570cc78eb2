// Reads a file, or says in one line why it cannot be read.
import { access, constants, readFile } from 'node:fs/promises';
import { type ErrorCode, F3Error } from '../errors.ts';

const REASONS: Record<string, string> = {
  EACCES: 'no permission',
  EISDIR: 'a directory',
  ENOENT: 'no such file',
  ENOTDIR: 'a path through a file',
};

/** `thing` and `code` are for the error when the file cannot be read. */
export async function readBytes(file: string, thing = file, code?: ErrorCode): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw unreadable(thing, cause, 'must be readable', code);
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

/** The error to throw when the system would not open `thing`, or when it is not in its format. */
export function unreadable(
  thing: string,
  cause: unknown,
  rule = 'must be readable',
  code: ErrorCode = 'F3_DATA_UNREADABLE',
): F3Error {
  const { code: systemCode, message } = cause as NodeJS.ErrnoException;
  const reason = REASONS[systemCode ?? ''] ?? message;
  // Libraries append hints over many lines; the first says what is wrong.
  return new F3Error(code, `${thing}: ${rule}, got ${reason.split('\n')[0]}`, { cause });
}
