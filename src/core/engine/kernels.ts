// Loads the WebAssembly kernels: the relaxed-SIMD build where the engine knows it, else plain SIMD.
import { readFileSync } from 'node:fs';
import { CoreError } from '../errors.ts';
import type { SharedPages } from './memory.ts';

/** Every exported kernel, typed from the AssemblyScript build. */
export type Kernels = typeof import('../kernels/build/simd.js');
/** The name of a kernel. */
export type KernelName = {
  [K in keyof Kernels]: Kernels[K] extends (...args: never[]) => unknown ? K : never;
}[keyof Kernels];

/** A build of the kernels: with relaxed SIMD, or with plain SIMD. */
export type KernelBuild = 'relaxed' | 'simd';

/** Compiles the wanted build, else the best that validates. `F3_KERNELS` (simd or relaxed) overrides the choice. */
export function loadKernelModule(wanted = process.env.F3_KERNELS): { module: WebAssembly.Module; build: KernelBuild } {
  const builds: KernelBuild[] = wanted === 'simd' || wanted === 'relaxed' ? [wanted] : ['relaxed', 'simd'];
  for (const build of builds) {
    const bytes = readFileSync(new URL(`../kernels/build/${build}.wasm`, import.meta.url));
    if (WebAssembly.validate(bytes)) return { module: new WebAssembly.Module(bytes), build };
  }
  const tried = builds.join(' and ');
  throw new CoreError(
    'F3_KERNEL',
    `kernels: this JavaScript engine must support WebAssembly SIMD, it refused ${tried}`,
  );
}

/** One instance per thread over the same memory; `thread` picks its part of the scratch memory. */
export function instantiateKernels(module: object, memory: SharedPages, thread: number): Kernels {
  const abort = () => {
    throw new CoreError('F3_KERNEL', 'kernel: the WebAssembly code aborted');
  };
  const instance = new WebAssembly.Instance(module, { env: { memory: memory as WebAssembly.Memory, abort } });
  const kernels = instance.exports as unknown as Kernels;
  kernels.setThread(thread);
  return kernels;
}
