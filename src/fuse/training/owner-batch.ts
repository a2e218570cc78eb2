// [coordinator] A batch of what the owners say: rows of stored embeddings, or of embeddings made anew for each batch.

import type { Tape } from '../../core/engine/tape.ts';
import type { Tensor } from '../../core/engine/tensor.ts';
import { gatherRows } from '../../core/ops/gather-rows.ts';
import type { OwnerBatch } from '../model/fusion-model.ts';

/** Sample numbers → [sample, owner, d], zero where the owner did not see the sample; gradients may flow back from it. */
export type EmbedSamples = (tape: Tape, rows: Uint32Array) => Tensor;

/** The owners' embeddings of all samples, in the engine's memory. */
export interface FusionEmbeddings {
  /** [sample, owner, d], zero where the owner did not see the sample; or what makes those of a batch */
  embeddings: Tensor | EmbedSamples;
  /** [sample, owner], 1 where it did; without it every owner saw every sample */
  present?: Tensor;
}

export function ownerBatch(tape: Tape, { embeddings, present }: FusionEmbeddings, rows: Uint32Array): OwnerBatch {
  return {
    present: present && gatherRows(tape, present, rows),
    embeddings: typeof embeddings === 'function' ? embeddings(tape, rows) : gatherRows(tape, embeddings, rows),
  };
}
