// Says in one line why something could not be written; an error that is not the user's mistake stays as it is.
import { type ErrorCode, F3Error } from '../errors.ts';

const REASONS: Record<string, string> = {
  EACCES: 'no permission',
  EEXIST: 'a file in its way',
  EISDIR: 'a directory',
  ENOENT: 'no such directory',
  ENOTDIR: 'a path through a file',
  EROFS: 'a read-only file system',
};

/** Who keeps something in a home folder can make room there. */
const REASONS_AT_HOME: Record<string, string> = { ...REASONS, EDQUOT: 'a full disk quota', ENOSPC: 'a full disk' };

/** The error to throw when writing `thing` failed. A full disk, say, is not explained but thrown on, unless it is that of a home folder. */
export function unwritable(thing: string, cause: unknown, code: ErrorCode): unknown {
  const reasons = code === 'F3_HOME' ? REASONS_AT_HOME : REASONS;
  const reason = reasons[(cause as NodeJS.ErrnoException).code ?? ''];
  return reason ? new F3Error(code, `${thing}: must be writable, got ${reason}`, { cause }) : cause;
}
