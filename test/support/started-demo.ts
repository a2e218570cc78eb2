// `f3 demo` as a process, what it says, and the processes that it starts.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { MAIN } from '../cli/run-f3.ts';

/** Temporary folders of the program and its processes all lie in `temporary`. */
export function startDemo(
  temporary: string,
  ...args: string[]
): ChildProcess & { said: () => { out: string; err: string } } {
  mkdirSync(temporary, { recursive: true });
  const child = spawn(process.execPath, [MAIN, 'demo', ...args], { env: { ...process.env, TMPDIR: temporary } });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said.err += text;
  });
  return Object.assign(child, { said: () => said });
}

/** Processes that `parent` started and that live. */
export function childrenOf(parent: number): { pid: number; command: string }[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [, pid, of, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return Number(of) === parent && !command.startsWith('ps ') ? [{ pid: Number(pid), command }] : [];
  });
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
