// One process at a time: a lock file that names its holder, taken over when the holder has died.

import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const patience = 15 * 60_000;

function holderOf(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return undefined; // released meanwhile
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** A link appears with its content or not at all, so a lock file is never seen empty. */
function take(path) {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Runs `work` while holding the lock at `path`. */
export async function withLock(path, work) {
  const deadline = Date.now() + patience;
  while (!take(path)) {
    const holder = holderOf(path);
    if (holder !== undefined && !isAlive(holder)) rmSync(path, { force: true });
    else if (Date.now() > deadline) throw new Error(`${path} is held by process ${holder}; delete it if that is wrong`);
    else await sleep(200);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}
