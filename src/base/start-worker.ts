// Worker threads that start whatever way the program itself was started.
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Threads inherit Node's flags, of which `--input-type` is for programs typed on the command line: a file cannot start with it. */
export function startWorker(file: URL, options: WorkerOptions = {}): Worker {
  const flags = process.execArgv;
  const at = flags.indexOf('--input-type');
  const execArgv = flags.filter((flag, i) => !flag.startsWith('--input-type') && (at < 0 || i !== at + 1));
  return new Worker(file, { ...options, execArgv });
}
