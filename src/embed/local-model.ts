// [owner] A local model (Eq. 3): windows → embedding → class logits. Trained alone, then frozen.
import type { Engine } from '../core/engine/engine.ts';
import type { Tape } from '../core/engine/tape.ts';
import type { Tensor } from '../core/engine/tensor.ts';

/** What an owner's windows look like. */
export interface WindowShape {
  /** T */
  length: number;
  /** v */
  variates: number;
}

export interface LocalModel {
  /** d */
  readonly width: number;
  /** By the names the weights file uses. */
  readonly parameters: Readonly<Record<string, Tensor>>;
  /** windows: [batch, time, variate] → embedding [batch, d] */
  embed(tape: Tape, windows: Tensor): Tensor;
  /** embedding: [batch, d] → logits [batch, classes] */
  classify(tape: Tape, embedding: Tensor): Tensor;
  /** What the optimiser may change: all parameters but a frozen head. */
  readonly learned: readonly Tensor[];
  dispose(): void;
}

/** An architecture by name: how to make a model with fresh weights. */
export type LocalModelKind = 'lstm' | 'gru' | 'dense';

export interface LocalModelOptions {
  kind: LocalModelKind;
  width: number;
  classes: number;
  /** Seed of the weights. */
  seed: number;
  /** Seed of a head that all owners share and nobody trains (row J); absent: the owner's own head, trained. */
  tiedHead?: number;
}

export type MakeLocalModel = (engine: Engine, shape: WindowShape, options: LocalModelOptions) => LocalModel;
