// Memory, kernels and threads together: what every tensor, tape and optimiser stands on.
import { availableParallelism } from 'node:os';
import { CoreError, expectArgument } from '../errors.ts';
import { instantiateKernels, type KernelBuild, type KernelName, type Kernels, loadKernelModule } from './kernels.ts';
import { Memory } from './memory.ts';
import { Tape } from './tape.ts';
import { sizeOf, Tensor } from './tensor.ts';
import { type AfterTask, Threads } from './threads.ts';

/** How much of the machine an engine takes. */
export interface EngineOptions {
  /** Number of threads. By default the environment variable `F3_THREADS` decides, else there is one per core. */
  threads?: number | undefined;
  /** Which build of the kernels runs. The default is the fastest one that this JavaScript engine supports. */
  build?: KernelBuild | undefined;
  /** Bytes to which the memory may grow. The default, 4 GiB, is also the most. */
  maxBytes?: number | undefined;
}

/** Memory, kernels and threads together: what every tensor, tape and optimiser stands on. */
export class Engine {
  readonly memory: Memory;
  readonly kernels: Kernels;
  readonly build: KernelBuild;
  readonly threads: Threads;
  #scratch = { address: 0, bytes: 0 };
  #disposed = false;

  constructor(options: EngineOptions = {}) {
    const threads = options.threads ?? threadsFromEnvironment() ?? availableParallelism();
    expectArgument(
      Number.isInteger(threads) && threads >= 1 && threads <= 256,
      'threads',
      'must be an integer from 1 to 256',
      threads,
    );
    const { module, build } = loadKernelModule(options.build);
    this.memory = new Memory(options.maxBytes);
    this.build = build;
    this.kernels = instantiateKernels(module, this.memory.wasm, 0);
    this.threads = new Threads(this.memory, this.kernels, module, threads);
  }

  /** Records one step after another; `reset` it between steps. */
  tape(): Tape {
    return new Tape(this);
  }

  /** Computes without keeping anything for derivatives. */
  inferenceTape(): Tape {
    return new Tape(this, false);
  }

  /** A tensor that outlives steps and is learned: it has a gradient from the start. */
  parameter(shape: readonly number[], values?: ArrayLike<number>): Tensor {
    const bytes = sizeOf(shape) * 4;
    const tensor = Tensor.at(this.memory, this.memory.allocate(bytes), shape, () => this.memory.allocate(bytes));
    fill(tensor, values);
    tensor.gradient.fill(0);
    return tensor;
  }

  /** A tensor that outlives steps and is not learned, e.g. the embeddings of all samples. */
  buffer(shape: readonly number[], values?: ArrayLike<number>): Tensor {
    const tensor = Tensor.at(this.memory, this.memory.allocate(sizeOf(shape) * 4), shape);
    fill(tensor, values);
    return tensor;
  }

  /** Gives a parameter's or buffer's memory back. Nothing catches a later use of the tensor. */
  free(tensor: Tensor): void {
    this.memory.free(tensor.address, tensor.size * 4);
    if (tensor.hasGradient) this.memory.free(tensor.gradientAddress, tensor.size * 4);
  }

  /** Runs `kernel(task, ...args)` for all tasks on all threads. */
  run<K extends KernelName>(kernel: K, tasks: number, ...args: AfterTask<K>): void {
    if (this.#disposed) throw new CoreError('F3_DISPOSED', `${kernel}: the engine must not be used after dispose`);
    this.threads.run(kernel, tasks, ...args);
  }

  /** Per-thread working memory: thread t uses `address + t · bytes` within one launch. Contents do not last. */
  threadScratch(bytes: number): number {
    if (bytes > this.#scratch.bytes) {
      if (this.#scratch.bytes > 0) this.memory.free(this.#scratch.address, this.#scratch.bytes * this.threads.count);
      const aligned = Math.ceil(bytes / 64) * 64;
      this.#scratch = { address: this.memory.allocate(aligned * this.threads.count), bytes: aligned };
    }
    return this.#scratch.address;
  }

  /** Bytes per thread behind `threadScratch`. */
  get threadScratchBytes(): number {
    return this.#scratch.bytes;
  }

  /** Ends the worker threads. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    await this.threads.dispose();
  }
}

function threadsFromEnvironment(): number | undefined {
  const text = process.env.F3_THREADS;
  return text === undefined || text === '' ? undefined : Number(text);
}

function fill(tensor: Tensor, values: ArrayLike<number> | undefined): void {
  if (!values) tensor.data.fill(0);
  else if (values.length === tensor.size) tensor.data.set(values);
  else {
    const shape = tensor.shape.join(', ');
    throw new CoreError('F3_SHAPE', `tensor: [${shape}] must hold ${tensor.size} numbers, got ${values.length}`);
  }
}
