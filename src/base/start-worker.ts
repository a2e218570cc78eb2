// Worker threads that start whatever way the program itself was started.
import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * Threads inherit Node's flags, of which `--input-type` is for programs typed on the command line: a file cannot start with it. Flags
 * are named only where that one has to go: V8's hold for the whole process, and a thread that is given one does not start.
 */
export function startWorker(file: URL, options: WorkerOptions = {}): Worker {
  const flags = process.execArgv;
  if (!flags.some((flag) => flag.startsWith('--input-type'))) return new Worker(file, options);
  const at = flags.indexOf('--input-type');
  const ofFiles = flags.filter((flag, i) => !flag.startsWith('--input-type') && (at < 0 || i !== at + 1));
  const execArgv = ofFiles.filter((flag) => flag !== '--no-maglev');
  return new Worker(file, { ...options, execArgv });
}
