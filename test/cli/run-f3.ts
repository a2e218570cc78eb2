// Runs the program as a user does, in its own process.
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** A command that should have refused and serves instead would never end. */
const LONGEST_MS = 500_000;

/**
 * What a command finds in its environment: nothing of whoever runs the tests, whose profile or key would be used, and a home
 * folder that is not there.
 */
export function f3Environment(changes: Record<string, string> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^F3_(HOME|PROFILE|URL|KEY|FEDERATION|TLS_)/.test(name));
  return { ...Object.fromEntries(kept), F3_HOME: join(tmpdir(), 'f3-test-no-home'), ...changes };
}

export function runF3(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    encoding: 'utf8',
    timeout: LONGEST_MS,
    env: f3Environment(),
  });
  return { status, stdout, stderr };
}
