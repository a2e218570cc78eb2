// [coordinator] Where training stands: all it takes to go on to the same bits, in memory and as safetensors.
import type { OptimizerState } from '../../core/optimizer/optimizer-arrays.ts';
import { decodeSafetensors, encodeSafetensors, type StoredTensor } from '../../core/safetensors.ts';
import { F3Error } from '../../errors.ts';
import type { FusionModel } from '../model/fusion-model.ts';

/** What an epoch of training came to. */
export interface EpochReport {
  /** Number of the epoch, from 1. */
  epoch: number;
  /** Mean loss over the steps of the epoch. */
  trainLoss: number;
  /** Loss on the validation part after the epoch. */
  validationLoss: number;
  /** The epoch with the lowest validation loss so far. */
  bestEpoch?: number;
}

/** How far a training is after an epoch. */
export interface TrainingProgress {
  /** The epoch that ended. */
  epoch: number;
  /** The epoch with the lowest validation loss so far, and that loss. */
  best: { epoch: number; loss: number };
}

/** Parameters by name, as copies. */
export type Weights = Record<string, Float32Array>;

/** All that it takes to continue a training to the same bits. */
export interface TrainingState {
  /** The epoch under way, from 1. */
  epoch: number;
  /** Batches of it that are done. */
  batch: number;
  /** Steps done since the beginning. */
  step: number;
  /** Sum of the epoch's losses so far. */
  lossSum: number;
  best: { epoch: number; loss: number };
  history: EpochReport[];
  weights: Weights;
  bestWeights: Weights;
  optimizer: OptimizerState;
  /** The weights' running mean, where weights are averaged. */
  averaged?: OptimizerState;
}

export function copyWeights(model: FusionModel): Weights {
  return Object.fromEntries(Object.entries(model.parameters).map(([name, { data }]) => [name, data.slice()]));
}

export function setWeights(model: FusionModel, weights: Readonly<Weights>): void {
  for (const [name, tensor] of Object.entries(model.parameters)) tensor.data.set(weights[name]);
}

const FORMAT = 'f3-checkpoint';

/** `about` names what is being trained: a checkpoint continues nothing else. */
export function encodeCheckpoint(state: TrainingState, about: string): Uint8Array<ArrayBuffer> {
  const { weights, bestWeights, optimizer, averaged, best, ...progress } = state;
  const tensors: Record<string, StoredTensor> = {};
  const groups = { weights, best: bestWeights, optimizer: optimizer.arrays, averaged: averaged?.arrays ?? {} };
  for (const [group, arrays] of Object.entries(groups)) {
    for (const [name, values] of Object.entries(arrays)) {
      tensors[`${group}/${name}`] = { shape: [values.length], values };
    }
  }
  // Before the first epoch's end the best loss is infinite, which JSON cannot say.
  const steps = { optimizerSteps: optimizer.steps, averagedSteps: averaged?.steps };
  const kept = { ...progress, best: { ...best, loss: String(best.loss) }, ...steps };
  return encodeSafetensors({ tensors, metadata: { format: FORMAT, about, state: JSON.stringify(kept) } });
}

/** `name` is the file's, for messages. */
export function decodeCheckpoint(bytes: Uint8Array, name: string, about: string): TrainingState {
  const { tensors, metadata } = decode(bytes, name);
  if (metadata.format !== FORMAT) {
    throw new F3Error('F3_CHECKPOINT', `${name}: format must be ${FORMAT}, got ${metadata.format ?? 'none'}`);
  }
  if (metadata.about !== about) {
    const rule = 'must be of the same bundles, labels, split and options';
    throw new F3Error('F3_CHECKPOINT', `checkpoint ${name}: ${rule}; remove it to start anew`);
  }
  const { optimizerSteps, averagedSteps, best, ...progress } = JSON.parse(metadata.state) as {
    optimizerSteps: number;
    averagedSteps?: number;
    best: { epoch: number; loss: string };
  } & Omit<TrainingState, 'best' | 'weights' | 'bestWeights' | 'optimizer' | 'averaged'>;
  const group = (prefix: string): Weights =>
    Object.fromEntries(
      Object.entries(tensors).flatMap(([key, { values }]) =>
        key.startsWith(`${prefix}/`) ? [[key.slice(prefix.length + 1), values]] : [],
      ),
    );
  return {
    ...progress,
    best: { epoch: best.epoch, loss: Number(best.loss) },
    weights: group('weights'),
    bestWeights: group('best'),
    optimizer: { steps: optimizerSteps, arrays: group('optimizer') },
    ...(averagedSteps !== undefined && { averaged: { steps: averagedSteps, arrays: group('averaged') } }),
  };
}

function decode(bytes: Uint8Array, name: string): ReturnType<typeof decodeSafetensors> {
  try {
    return decodeSafetensors(bytes, name);
  } catch (cause) {
    const reason = `must be whole; remove it to start anew (${(cause as Error).message})`;
    throw new F3Error('F3_CHECKPOINT', `checkpoint ${name}: ${reason}`, { cause });
  }
}
