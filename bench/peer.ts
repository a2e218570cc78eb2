// A peer library in a process of its own, asked for one job at a time so that ours and theirs alternate in one run.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface PeerHello {
  peer: string;
  version: string;
  threads?: number;
  blas?: string;
}

export interface PeerAnswer {
  ms?: number[];
  peakMb?: number;
  error?: string;
  [figure: string]: unknown;
}

export class Peer {
  readonly hello: PeerHello;
  /** The program that runs the peer. */
  readonly command: string;
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;

  private constructor(
    command: string,
    process: ChildProcessWithoutNullStreams,
    lines: AsyncIterator<string>,
    hello: PeerHello,
  ) {
    this.command = command;
    this.#process = process;
    this.#lines = lines;
    this.hello = hello;
  }

  /** Starts `command`. Where the library is missing, the result is a text that says why. */
  static async start(command: string, args: string[]): Promise<Peer | string> {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    child.stderr.resume();
    const failed = new Promise<string>((resolve) => {
      child.on('error', (error) => resolve(`${command}: ${error.message}`));
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const first = await Promise.race([lines.next(), failed]);
    if (typeof first === 'string') return first;
    if (first.done) return `${command} ${args.join(' ')}: ended without an answer`;
    const hello = JSON.parse(first.value) as PeerHello & { error?: string };
    return hello.error ? hello.error : new Peer(command, child, lines, hello);
  }

  async run(job: string, repeat: number, params: Record<string, unknown> = {}): Promise<PeerAnswer> {
    this.#process.stdin.write(`${JSON.stringify({ job, repeat, params })}\n`);
    const line = await this.#lines.next();
    return line.done ? { error: `${this.hello.peer} ended during ${job}` } : (JSON.parse(line.value) as PeerAnswer);
  }

  stop(): void {
    this.#process.kill();
  }
}

/** Starts PyTorch in the first Python that has torch: `F3_PYTHON`, `python3`, or Debian's. */
export async function startPyTorch(file = 'pytorch_peer.py', args: string[] = []): Promise<Peer | string> {
  const script = new URL(`./peers/${file}`, import.meta.url).pathname;
  const pythons = [process.env.F3_PYTHON, 'python3', '/usr/bin/python3'].filter((p) => p !== undefined);
  for (const python of pythons) {
    const peer = await Peer.start(python, [script, ...args]);
    if (peer instanceof Peer) return peer;
  }
  return `PyTorch: none of ${pythons.join(', ')} has torch (Debian: apt-get install python3-torch); skipped`;
}

export async function startTfjs(): Promise<Peer | string> {
  return Peer.start(process.execPath, [new URL('./peers/tfjs-peer.ts', import.meta.url).pathname]);
}
