// [coordinator] Owner dropout: whole owners are left out of training examples, as they will be at prediction.
import { RandomStream } from '../core/random.ts';
import type { Tape } from '../core/tape.ts';
import type { OwnerBatch } from './fusion-model.ts';
import { maskOwners } from './mask-owners.ts';

/** The batch without the owners that are left out, each with chance `share`. */
export function dropOwners(
  tape: Tape,
  { embeddings, present }: OwnerBatch,
  share: number,
  seed: number,
  stream: number,
): OwnerBatch {
  const [batch, owners] = embeddings.shape;
  const draws = new Float32Array(batch * owners);
  new RandomStream(seed, stream).fillUniform(draws, 0, 1);
  const before = present?.data;
  const kept = draws.map((draw, at) => (draw < share ? 0 : (before?.[at] ?? 1)));
  return { embeddings: maskOwners(tape, embeddings, kept), present: tape.constant([batch, owners], kept) };
}
