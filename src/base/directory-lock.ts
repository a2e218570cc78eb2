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

/** SQLite's own number for a lock that somebody else holds. */
const BUSY = 5;

/**
 * Node offers no file locks, but SQLite takes one (fcntl, LockFileEx on Windows) for an exclusive transaction. Unlike a
 * file with a process id it needs no judgement about who is dead, and no id can be mistaken for another's.
 */
export function lockDirectory(dir: string, names: LockNames): DirectoryLock {
  const lock = takeLock(dir, names);
  if (lock) return lock;
  throw inUse(dir, names);
}

/** The same without waiting; undefined while another process has the lock. */
export function tryLockDirectory(dir: string, { thing, code }: LockNames): DirectoryLock | undefined {
  return takeLock(dir, { thing, code });
}

/** The error that names who has the lock. */
export function inUse(dir: string, { thing, code }: LockNames): F3Error {
  const rule = 'must be used by one process at a time';
  return new F3Error(code, `${thing} ${dir}: ${rule}, got process ${holder(join(dir, 'lock.pid'))}`);
}

function takeLock(dir: string, { thing, code, patience = 0 }: LockNames): DirectoryLock | undefined {
  let lock: DatabaseSync | undefined;
  try {
    lock = new DatabaseSync(join(dir, 'lock'));
    lock.exec(`pragma busy_timeout = ${patience}`);
    lock.exec('begin exclusive');
    // The process id serves the message above only.
    writeFileSync(join(dir, 'lock.pid'), `${process.pid}\n`);
  } catch (cause) {
    lock?.close();
    if ((cause as { errcode?: number }).errcode === BUSY) return undefined;
    const found = (cause as Error).message.split('\n')[0];
    throw new F3Error(code, `${thing} ${dir}: its file lock must be writable, got ${found}`, { cause });
  }
  return { release: () => lock.close() };
}

function holder(pidFile: string): string {
  try {
    return readFileSync(pidFile, 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
