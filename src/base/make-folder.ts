// A folder in which something is kept, made where it is not there yet, for nobody else to read.
import { mkdirSync } from 'node:fs';
import type { ErrorCode } from '../errors.ts';
import { unwritable } from './unwritable.ts';

/** `code` is for the error when it cannot be made, `thing` is what the error calls it. */
export function makeFolder(folder: string, code: ErrorCode, thing = `folder ${folder}`): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw unwritable(thing, cause, code);
  }
}
