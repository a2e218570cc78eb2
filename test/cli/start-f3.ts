// Runs the program in its own process while the test goes on, for commands that talk to a server inside the test.
import { spawn } from 'node:child_process';
import { f3Environment, MAIN } from './run-f3.ts';

export interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

export interface StartOptions {
  /** For stdin. */
  input?: string;
  /** Beside the environment of the tests. */
  env?: Record<string, string>;
}

export function startF3(args: readonly string[], { input = '', env = {} }: StartOptions = {}): Promise<Ran> {
  const child = spawn(process.execPath, [MAIN, ...args], { env: f3Environment(env) });
  const ran: Ran = { status: null, stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      ran[name] += text;
    });
  }
  child.stdin.on('error', () => {}); // a command that reads nothing may be gone already
  child.stdin.end(input);
  return new Promise((resolve) => child.on('close', (status) => resolve({ ...ran, status })));
}
