// Runs a kernel's tasks on worker threads that share the memory. Each task writes its own part and reductions have a
// fixed order, so results are the same bits for any number of threads.
import { extname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { startWorker } from '../../base/start-worker.ts';
import { CoreError } from '../errors.ts';
import type { KernelName, Kernels } from './kernels.ts';
import { CONTROL_BYTES, ControlBlock, kernelNames, MAX_TASKS } from './launch.ts';
import type { Memory } from './memory.ts';
import type { WorkerStart } from './worker.ts';

/** A kernel's arguments after its first, the task number. */
export type AfterTask<K extends KernelName> = Kernels[K] extends (task: number, ...rest: infer R) => unknown
  ? R
  : never;

/** Runs a kernel's tasks on worker threads, with the same bits for any number of them. */
export class Threads {
  /** Number of threads, the calling one included. */
  readonly count: number;
  readonly #kernels: Kernels;
  readonly #numberOf: Map<KernelName, number>;
  readonly #control: ControlBlock;
  readonly #workers: Worker[];

  /** `module` is compiled kernels. `count` threads in all: the calling thread and `count − 1` workers, which never keep the process alive. */
  constructor(memory: Memory, kernels: Kernels, module: object, count: number) {
    this.count = count;
    this.#kernels = kernels;
    this.#numberOf = new Map(kernelNames(kernels).map((name, number) => [name, number]));
    const control = memory.allocate(CONTROL_BYTES);
    memory.integers(control, CONTROL_BYTES / 4).fill(0);
    this.#control = new ControlBlock(memory.wasm.buffer, control, kernels);
    this.#workers = Array.from({ length: count - 1 }, (_, index) => {
      const workerData: WorkerStart = { module, memory: memory.wasm, control, thread: index + 1 };
      const url = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);
      const worker = startWorker(url, { workerData, name: `f3-core-${index + 1}` });
      worker.unref();
      return worker;
    });
  }

  /** Runs `kernel(task, ...args)` for every task from 0 to `tasks − 1` and returns when all are done. */
  run<K extends KernelName>(kernel: K, tasks: number, ...args: AfterTask<K>): void {
    if (tasks > MAX_TASKS)
      throw new CoreError('F3_ARGUMENT', `${kernel}: must have at most ${MAX_TASKS} tasks, got ${tasks}`);
    if (this.count === 1 || tasks <= 1) {
      const run = this.#kernels[kernel] as (...all: number[]) => unknown;
      try {
        for (let task = 0; task < tasks; task++) run(task, ...(args as number[]));
      } catch (error) {
        throw kernelFailure(kernel, error);
      }
      return;
    }
    this.#control.publish(this.#numberOf.get(kernel) as number, tasks, args as number[]);
    const failure = this.#control.work();
    if (this.#control.finish()) throw kernelFailure(kernel, failure);
  }

  async dispose(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}

/** Error for a kernel that trapped. Only a trap on this thread brings its message along. */
function kernelFailure(kernel: string, cause: unknown): CoreError {
  return new CoreError('F3_KERNEL', `${kernel}: ${cause instanceof Error ? cause.message : 'a worker thread failed'}`);
}
