// [coordinator] What a training draws, numbered by epoch and step so that it can go on from any of them: shuffles and left-out owners.
import { RandomStream } from '../../core/random.ts';

/** Stream of the graphs that are sampled in training. */
export const TRAINING_STREAM = 0;
const SHUFFLE_STREAMS = 0x1000_0000;
const DROPOUT_STREAMS = 0x8000_0000;

/** The training part in the order of an epoch. */
export function epochOrder(rows: Uint32Array, seed: number, epoch: number): Uint32Array {
  return new RandomStream(seed, SHUFFLE_STREAMS + epoch).permutation(rows.length).map((i) => rows[i]);
}

/** The stream of the owners that are left out of a step. */
export const dropoutStream = (step: number): number => DROPOUT_STREAMS + step;

/** [sample, owner], 1 where an owner is present and not left out, with the chance `share` each */
export function keptOwners(
  count: number,
  present: ArrayLike<number> | undefined,
  share: number,
  seed: number,
  stream: number,
): Float32Array {
  const draws = new Float32Array(count);
  new RandomStream(seed, stream).fillUniform(draws, 0, 1);
  return draws.map((draw, at) => (draw < share ? 0 : (present?.[at] ?? 1)));
}
