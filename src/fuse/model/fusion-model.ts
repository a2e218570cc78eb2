// [coordinator] What every model that is learned from embeddings offers: one interface, chosen by the config's method.

import type { Tape } from '../../core/engine/tape.ts';
import type { Tensor } from '../../core/engine/tensor.ts';
import type { EdgeSampling } from '../../core/ops/edge-quantiles.ts';
import type { FusionConfig } from '../fusion-config.ts';

/** The sizes of a model, and the graphs that it is given. */
export interface FusionShape {
  owners: number;
  /** d: the widest owner's; narrower embeddings are filled up with zeros. */
  width: number;
  /** Width of the common space that P_i maps into; d unless stated. */
  aligned?: number;
  classes: number;
  /** [owner, owner], for `graph: 'given'`: positive entries are edges. */
  adjacency?: ArrayLike<number>;
  /** [owner, owner], for `graph: 'knn'`: the graph that was frozen when the model was made; it then never changes. */
  neighbours?: ArrayLike<number>;
  /** [owner, d, bins + 1], for `encoding: 'quantiles'`: the edges of every number's bins. */
  binEdges?: ArrayLike<number>;
}

/** What the owners say about some samples. */
export interface OwnerBatch {
  /** [sample, owner, d], zero where the owner is absent */
  embeddings: Tensor;
  /** [sample, owner] constant, 1 where the owner is present; without it all are */
  present?: Tensor | undefined;
  /** Chance with which owner dropout kept each owner; without it nobody was dropped. Models undo it: `undoDropout`. */
  keptShare?: number;
}

/** Which random graphs to draw, one per example or batch (default: as the config says). */
export interface Draw extends Pick<EdgeSampling, 'seed' | 'step' | 'stream'> {
  per?: FusionConfig['graphsPer'];
}

/** `mean` is the graph of the edge probabilities themselves. */
export type Graphs = Draw | 'mean';

/** What every model that is learned from embeddings by gradients offers. */
export interface FusionModel {
  readonly config: FusionConfig;
  readonly shape: FusionShape;
  /** By the names the weights file uses. */
  readonly parameters: Readonly<Record<string, Tensor>>;
  /** Names of parameters that do not decay, besides biases and other single rows. */
  readonly undecayed?: readonly string[];
  /** Names of the parameters that logits are linear in: divided by a number, they divide the logits by it. */
  readonly lastLayer: readonly string[];
  /** → logits [sample, classes], and what the loss adds to the cross-entropy */
  forward(tape: Tape, batch: OwnerBatch, graphs: Graphs): { logits: Tensor; penalty?: Tensor };
  /** Called after every update of the parameters, e.g. to put them back where they may be. */
  afterUpdate?(): void;
  /** Called before predictions, with rows of the training part: fixes what all predictions have in common. */
  freeze?(batch: OwnerBatch): void;
  dispose(): void;
}
