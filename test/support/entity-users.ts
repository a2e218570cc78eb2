// Users of their own for the processes of entities, so that none can read another's files. Only root can give them, and only where
// other users can read the program; elsewhere the processes have folders of their own and the same user.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { f3Environment, MAIN } from '../cli/run-f3.ts';

export interface ProcessUser {
  uid: number;
  gid: number;
}

const FIRST = 60_001;

/** One per entity; undefined where there can be none. `dir` is where their folders will lie. */
export function entityUsers(dir: string, entities: number): ProcessUser[] | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = Array.from({ length: entities }, (_, i) => ({ uid: FIRST + i, gid: FIRST + i }));
  const probe = join(dir, 'probe');
  mkdirSync(probe, { recursive: true });
  giveFolder(probe, users[0]);
  const started = spawnSync(process.execPath, [MAIN, '--version'], { ...users[0], env: f3Environment() });
  return started.status === 0 && canList(probe, users[0]) ? users : undefined;
}

/** Gives a folder with all that is in it to a user, and to nobody else. */
export function giveFolder(folder: string, { uid, gid }: ProcessUser): void {
  chmodSync(dirname(folder), 0o711); // others may pass, and see nothing
  chmodSync(folder, 0o700);
  chownSync(folder, uid, gid);
  for (const { parentPath, name } of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    chownSync(join(parentPath, name), uid, gid);
  }
}

/** Whether a process of this user can list that folder. */
export function canList(folder: string, user: ProcessUser): boolean {
  const program = `require('node:fs').readdirSync(${JSON.stringify(folder)})`;
  const { status } = spawnSync(process.execPath, ['--eval', program], { ...user, env: f3Environment() });
  return status === 0;
}
