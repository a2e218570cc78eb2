// [owner] A local model (Eq. 3): windows → embedding → class logits. Trained alone, then frozen.
import type { Tape } from '../core/engine/tape.ts';
import type { Tensor } from '../core/engine/tensor.ts';

/** What an owner's windows look like. */
export interface WindowShape {
  /** Time steps T in a window. */
  length: number;
  /** Number of variates v. */
  variates: number;
}

/** A local model: windows become an embedding, an embedding becomes class logits. */
export interface LocalModel {
  /** Width d of an embedding. */
  readonly width: number;
  /** Parameters by the names that the weights file uses. */
  readonly parameters: Readonly<Record<string, Tensor>>;
  /** windows: [batch, time, variate] → embedding [batch, d] */
  embed(tape: Tape, windows: Tensor): Tensor;
  /** embedding: [batch, d] → logits [batch, classes] */
  classify(tape: Tape, embedding: Tensor): Tensor;
  /** The parameters that training changes: all but those of a frozen head. */
  readonly learned: readonly Tensor[];
  dispose(): void;
}

/** The architectures by name. */
export const LOCAL_MODEL_KINDS = ['lstm', 'gru', 'tcn', 'dense'] as const;
/** Name of an architecture. */
export type LocalModelKind = (typeof LOCAL_MODEL_KINDS)[number];

/** What a local model is. */
export interface LocalModelOptions {
  kind: LocalModelKind;
  width: number;
  /** Numbers of a narrow last layer, which are the embedding then: each from −1 to 1. By default there is none. */
  bottleneck?: number | undefined;
  classes: number;
  /** Seed of the weights. */
  seed: number;
  /** Seed of a head that all owners share and nobody trains (row J of Table 2). By default an owner trains its own. */
  tiedHead?: number | undefined;
}
