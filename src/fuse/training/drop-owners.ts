// [coordinator] Owner dropout: whole owners are left out of training examples, as they will be at prediction.

import type { Tape } from '../../core/engine/tape.ts';
import type { Tensor } from '../../core/engine/tensor.ts';
import { add } from '../../core/ops/add.ts';
import type { OwnerBatch } from '../model/fusion-model.ts';
import { maskOwners } from '../model/mask-owners.ts';
import { keptOwners } from './training-draws.ts';

/** The batch without the owners that are left out, each with chance `share`. */
export function dropOwners(
  tape: Tape,
  { embeddings, present }: OwnerBatch,
  share: number,
  seed: number,
  stream: number,
): OwnerBatch {
  const [batch, owners] = embeddings.shape;
  const kept = keptOwners(batch * owners, present?.data, share, seed, stream);
  const left = maskOwners(tape, embeddings, kept);
  return { embeddings: left, present: tape.constant([batch, owners], kept), keptShare: 1 - share };
}

/**
 * `sum`, made of the owners that are left, as large as all would make it. Otherwise the weights would grow to make up for
 * those left out in training, and with everybody there a model would be surer of itself than it may be.
 */
export function undoDropout(tape: Tape, sum: Tensor, { keptShare = 1 }: OwnerBatch): Tensor {
  return keptShare === 1 ? sum : add(tape, sum, sum, 1 / keptShare - 1);
}
