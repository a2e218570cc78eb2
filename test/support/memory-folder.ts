// A folder in memory for what tests write: a test of the coordinator makes and deletes hundreds of files and flushes each commit, and
// waits for a disk longer than for everything else.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readlinkSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where Linux keeps files in memory. Other systems have no such place, and tests use their folder for temporary files. */
const SHARED_MEMORY = '/dev/shm';
/** What `statfs` calls a file system in memory (TMPFS_MAGIC). */
const IN_MEMORY = 0x01021994;
/** Bytes that must be free in the folder: all tests at a time hold a few hundred megabytes. */
const FREE_BYTES = 2 * 1024 ** 3;
/** Bytes of memory that must be free, so that the tests themselves have theirs beside their files. */
const FREE_MEMORY_BYTES = 6 * 1024 ** 3;

/**
 * Makes a folder that goes with this process, or gives undefined where there is no place or too little room. Folders of processes
 * that were killed are removed first, because their memory would be lost until the next start of the machine.
 */
export function makeMemoryFolder(place = SHARED_MEMORY, freeMemory = process.availableMemory()): string | undefined {
  try {
    if (Number(statfsSync(place).type) !== IN_MEMORY) return undefined;
    removeLeftFolders(place);
    const { bavail, bsize } = statfsSync(place);
    if (bavail * bsize < FREE_BYTES || freeMemory < FREE_MEMORY_BYTES) return undefined;
    const folder = join(place, `${prefix()}${process.pid}`);
    mkdirSync(folder);
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    chmodSync(folder, 0o755); // the user of PostgreSQL has a folder in it
    return runsPrograms(folder) ? folder : undefined;
  } catch {
    return undefined; // not Linux, or a place that is not ours to write
  }
}

/** Containers may share the place, and a number stands for a process in one of them only. */
const prefix = () => `f3-tests-${/\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0]}-`;

function removeLeftFolders(place: string): void {
  const ours = prefix();
  for (const name of readdirSync(place)) {
    if (!name.startsWith(ours) || isAlive(Number(name.slice(ours.length)))) continue;
    try {
      rmSync(join(place, name), { recursive: true, force: true });
    } catch {
      // It is another user's.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Containers often forbid it in this place, and tests start commands that they have written. */
function runsPrograms(folder: string): boolean {
  const file = join(folder, 'program');
  writeFileSync(file, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  const { status } = spawnSync(file);
  rmSync(file);
  return status === 0;
}
