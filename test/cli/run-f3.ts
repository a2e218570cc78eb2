// Runs the program as a user does, in its own process.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** A command that should have refused and serves instead would never end. */
const LONGEST_MS = 240_000;

export function runF3(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    encoding: 'utf8',
    timeout: LONGEST_MS,
  });
  return { status, stdout, stderr };
}
