// [coordinator] Clears the embeddings of owners that are absent, and the gradients that would reach them.

import type { Tape } from '../../core/engine/tape.ts';
import type { Tensor } from '../../core/engine/tensor.ts';
import { mask } from '../../core/ops/mask.ts';

/** embeddings: [sample, owner, d], present: [sample, owner] of 0 and 1 → [sample, owner, d] */
export function maskOwners(tape: Tape, embeddings: Tensor, present: ArrayLike<number>): Tensor {
  const width = embeddings.shape[2];
  const kept = new Float32Array(embeddings.size);
  for (let at = 0; at < present.length; at++) {
    if (present[at] === 1) kept.fill(1, at * width, (at + 1) * width);
  }
  return mask(tape, embeddings, tape.constant(embeddings.shape, kept));
}
