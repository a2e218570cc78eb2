// How threads share one kernel launch: a control block in the shared memory from which tasks are claimed.
import type { KernelName, Kernels } from './kernels.ts';

/** Launch number in the upper 16 bits, unclaimed tasks in the lower 16: one compare-and-swap claims a task. */
const TICKET = 0;
const KERNEL = 1;
const TASKS = 2;
const DONE = 3;
const SLEEPERS = 4;
const FAILED = 5;
const ARGUMENT_COUNT = 6;
const ARGUMENTS_AT = 64;
const MAX_ARGUMENTS = 24;
export const CONTROL_BYTES = ARGUMENTS_AT + MAX_ARGUMENTS * 8;
export const MAX_TASKS = 65_535;

/** Kernel names in a fixed order, so that a launch can name one by number. */
export function kernelNames(kernels: Kernels): KernelName[] {
  return (Object.keys(kernels) as KernelName[]).filter((name) => typeof kernels[name] === 'function').sort();
}

export class ControlBlock {
  readonly #words: Int32Array;
  readonly #arguments: Float64Array;
  readonly #kernels: ((...args: number[]) => unknown)[];

  constructor(buffer: ArrayBufferLike, address: number, kernels: Kernels) {
    this.#words = new Int32Array(buffer, address, ARGUMENTS_AT / 4);
    this.#arguments = new Float64Array(buffer, address + ARGUMENTS_AT, MAX_ARGUMENTS);
    this.#kernels = kernelNames(kernels).map((name) => kernels[name] as (...args: number[]) => unknown);
  }

  /** Publishes a launch. Only the thread that owns the pool calls this, and only when the last launch is done. */
  publish(kernel: number, tasks: number, args: readonly number[]): void {
    this.#words[KERNEL] = kernel;
    this.#words[TASKS] = tasks;
    this.#words[DONE] = 0;
    this.#words[FAILED] = 0;
    this.#words[ARGUMENT_COUNT] = args.length;
    for (let i = 0; i < args.length; i++) this.#arguments[i] = args[i];
    const launch = ((Atomics.load(this.#words, TICKET) >>> 16) + 1) & 0xffff;
    Atomics.store(this.#words, TICKET, (launch << 16) | tasks);
    if (Atomics.load(this.#words, SLEEPERS) > 0) Atomics.notify(this.#words, TICKET);
  }

  /** Claims and runs tasks of the current launch until none is left. Returns the first error, if any. */
  work(): unknown {
    const words = this.#words;
    const seen = Atomics.load(words, TICKET);
    const launch = seen >>> 16;
    // These are read before claiming: a successful claim proves that the launch, and so its arguments, was still
    // current.
    const kernel = this.#kernels[words[KERNEL]];
    const tasks = words[TASKS];
    const args = [0, ...this.#arguments.subarray(0, words[ARGUMENT_COUNT])];
    let failure: unknown;
    for (;;) {
      const ticket = Atomics.load(words, TICKET);
      const unclaimed = ticket & 0xffff;
      if (ticket >>> 16 !== launch || unclaimed === 0) return failure;
      if (Atomics.compareExchange(words, TICKET, ticket, ticket - 1) !== ticket) continue;
      try {
        args[0] = tasks - unclaimed;
        kernel(...args);
      } catch (error) {
        failure ??= error;
        Atomics.store(words, FAILED, 1);
      }
      if (Atomics.add(words, DONE, 1) + 1 === tasks) Atomics.notify(words, DONE);
    }
  }

  /** Blocks until every task of the launch has run. Returns whether one failed. */
  finish(): boolean {
    const words = this.#words;
    const tasks = words[TASKS];
    for (let spins = 0; ; spins++) {
      const done = Atomics.load(words, DONE);
      if (done >= tasks) return Atomics.load(words, FAILED) !== 0;
      if (spins > SPINS) Atomics.wait(words, DONE, done, 100);
    }
  }

  /** Whether the launch has tasks that nobody has claimed. */
  get #hasWork(): boolean {
    return (Atomics.load(this.#words, TICKET) & 0xffff) > 0;
  }

  /** Waits for the next launch. A worker first spins, because launches follow each other closely, then sleeps. */
  awaitWork(): void {
    const words = this.#words;
    for (let spins = 0; !this.#hasWork; spins++) {
      if (spins < SPINS) continue;
      const ticket = Atomics.load(words, TICKET);
      if (this.#hasWork) return;
      Atomics.add(words, SLEEPERS, 1);
      Atomics.wait(words, TICKET, ticket);
      Atomics.sub(words, SLEEPERS, 1);
      spins = 0;
    }
  }
}

/** About 100 µs of polling: longer than the pause between two kernels of a step, shorter than a step. */
const SPINS = 4_000;
