// [coordinator] Owner dropout: whole owners are left out of training examples, as they will be at prediction.
import { RandomStream } from '../core/random.ts';
import type { Tape } from '../core/tape.ts';
import type { OwnerBatch } from './fusion-model.ts';

/** Clears the embeddings of owners that are left out, each with chance `share`, in the batch itself. */
export function dropOwners(
  tape: Tape,
  { embeddings, present }: OwnerBatch,
  share: number,
  seed: number,
  stream: number,
): OwnerBatch {
  const [batch, owners, width] = embeddings.shape;
  const draws = new Float32Array(batch * owners);
  new RandomStream(seed, stream).fillUniform(draws, 0, 1);
  const kept = present?.data.slice() ?? new Float32Array(batch * owners).fill(1);
  const values = embeddings.data;
  draws.forEach((draw, at) => {
    if (draw >= share) return;
    kept[at] = 0;
    values.fill(0, at * width, (at + 1) * width);
  });
  return { embeddings, present: tape.constant([batch, owners], kept) };
}
