// A worker thread: its own instance of the kernels over the shared memory, running tasks as they are launched.
import { workerData } from 'node:worker_threads';
import { instantiateKernels } from './kernels.ts';
import { ControlBlock } from './launch.ts';
import type { SharedPages } from './memory.ts';

export interface WorkerStart {
  /** Compiled kernels. */
  module: object;
  memory: SharedPages;
  control: number;
  thread: number;
}

const start = workerData as WorkerStart;
const kernels = instantiateKernels(start.module, start.memory, start.thread);
const control = new ControlBlock(start.memory.buffer, start.control, kernels);
for (;;) {
  control.awaitWork();
  control.work();
}
