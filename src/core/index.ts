// The numerical core as a package entry: tensors, derivatives, optimisers, random numbers, theory. It loads nothing else.
export * from '../errors.ts';
export type { Arena } from './engine/arena.ts';
export { Engine, type EngineOptions } from './engine/engine.ts';
export type { KernelBuild, KernelName, Kernels } from './engine/kernels.ts';
export type { Memory, SharedPages } from './engine/memory.ts';
export { Tape } from './engine/tape.ts';
export { Tensor } from './engine/tensor.ts';
export type { AfterTask, Threads } from './engine/threads.ts';
export { CoreError } from './errors.ts';
export * as ops from './ops/index.ts';
export { clipGradients } from './optimizer/clip-gradients.ts';
export * as initialise from './optimizer/initialise.ts';
export {
  Adam,
  type AdamOptions,
  type Optimizer,
  type OptimizerState,
  Sgd,
  type SgdOptions,
} from './optimizer/optimizer.ts';
export { type PhiloxCounter, type PhiloxKey, philox4x32, RandomStream, seedKey } from './random.ts';
export { decodeSafetensors, encodeSafetensors, type Safetensors, type StoredTensor } from './safetensors.ts';
export { softmaxRows } from './softmax-rows.ts';
export * as theory from './theory/index.ts';
