// Lets one process use a folder. The lock is the operating system's, so it goes when its holder dies.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type ErrorCode, F3Error } from '../errors.ts';

export interface DirectoryLock {
  release(): void;
}

/** What messages call the folder, and their code. */
export interface LockNames {
  thing: string;
  code: ErrorCode;
  /** Milliseconds to wait for another process; by default there is no waiting. */
  patience?: number;
}

/**
 * Node offers no file locks, but SQLite takes one (fcntl, LockFileEx on Windows) for an exclusive transaction. Unlike a
 * file with a process id it needs no judgement about who is dead, and no id can be mistaken for another's.
 */
export function lockDirectory(dir: string, { thing, code, patience = 0 }: LockNames): DirectoryLock {
  const pidFile = join(dir, 'lock.pid');
  const lock = new DatabaseSync(join(dir, 'lock'));
  try {
    lock.exec(`pragma busy_timeout = ${patience}`);
    lock.exec('begin exclusive');
  } catch (cause) {
    lock.close();
    const rule = 'must be used by one process at a time';
    throw new F3Error(code, `${thing} ${dir}: ${rule}, got process ${holder(pidFile)}`, { cause });
  }
  // The process id serves the message above only.
  writeFileSync(pidFile, `${process.pid}\n`);
  return { release: () => lock.close() };
}

function holder(pidFile: string): string {
  try {
    return readFileSync(pidFile, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
