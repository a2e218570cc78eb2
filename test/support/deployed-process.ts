// Runs command lines as deploy/ writes them, with the places of this test instead of a container's or a machine's.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { MAIN } from '../cli/run-f3.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Milliseconds after which a start counts as hanging. */
const START_MS = 500_000;

/** What stands in the file, and what stands for it here. */
export type Places = Record<string, string>;

/** Replaces every place in a word, the longest first, so that none is mistaken for a part of another. */
export function placed(word: string, places: Places): string {
  const names = Object.keys(places).sort((a, b) => b.length - a.length);
  const anyOf = new RegExp(names.map((name) => name.replaceAll(/[.${}]/g, '\\$&')).join('|'), 'g');
  return word.replaceAll(anyOf, (name) => places[name]);
}

/** Makes a folder with the command `f3`, for a PATH. Once per suite: a shell that is starting would read a file half written anew, and do nothing. */
export function commandFolder(dir: string): string {
  const file = join(dir, 'f3');
  writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
  chmodSync(file, 0o755);
  return dir;
}

/** The environment with `f3` and the Node of this test in front of the PATH. */
export function environment(commands: string): NodeJS.ProcessEnv {
  const path = [commands, dirname(process.execPath), process.env.PATH].join(delimiter);
  return { ...process.env, PATH: path, F3_THREADS: '1' };
}

export class DeployedProcess {
  readonly #child: ChildProcess;
  readonly #closed: Promise<unknown>;
  #said = '';
  /** How it ended, once all that it said has been read as well. */
  #end: { code: number | null; signal: NodeJS.Signals | null } | undefined;

  /** The process ends with the test, if it has not ended before. */
  constructor([command, ...args]: readonly string[], env: NodeJS.ProcessEnv) {
    this.#child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#said += text;
      });
    }
    this.#closed = once(this.#child, 'close').then(([code, signal]) => {
      this.#end = { code, signal };
    });
    onTestFinished(async () => {
      await this.end();
    });
  }

  /** Waits until `isReady` is true. */
  async until(isReady: () => boolean): Promise<void> {
    const deadline = Date.now() + START_MS;
    while (!isReady()) {
      if (this.#end) throw new Error(`ended with ${this.#end.code ?? this.#end.signal}: ${this.#said}`);
      if (Date.now() > deadline) throw new Error(`not ready: ${this.#said}`);
      await sleep(400);
    }
  }

  get said(): string {
    return this.#said;
  }

  /** Ends the process as an administrator would: sends SIGTERM and waits. Returns the exit code. */
  async end(): Promise<number | null> {
    if (!this.#end) this.#child.kill('SIGTERM');
    await this.#closed;
    return this.#end?.code ?? null;
  }
}

/** Runs the command of a healthcheck and tells whether it ends with 0. */
export function isHealthy(test: readonly string[], places: Places): boolean {
  const [kind, command, ...args] = test.map((word) => placed(word, { ...places, '/opt/f3': ROOT }));
  if (kind !== 'CMD' || command !== 'node') throw new Error(`healthcheck: must run node, got ${kind} ${command}`);
  return spawnSync(process.execPath, args, { encoding: 'utf8' }).status === 0;
}
