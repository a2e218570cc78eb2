// [owner] Which random stream serves what. A sample's numbers depend on (seed, sample) alone: the same on any worker.
import { RandomStream } from '../../../core/random.ts';

const GRID_STREAMS = { topology: 0, equipment: 1, pmus: 2, classes: 3, availability: 4 } as const;
const SAMPLE_STREAMS = { operation: 0, event: 1, ambient: 2, noise: 3, gaps: 4 } as const;
/** Stream numbers below this one belong to the grid as a whole. */
const FIRST_SAMPLE_STREAM = 1024;
const STREAMS_PER_SAMPLE = 8;

export function gridStream(seed: number, purpose: keyof typeof GRID_STREAMS): RandomStream {
  return new RandomStream(seed, GRID_STREAMS[purpose]);
}

export function sampleStream(seed: number, sample: number, purpose: keyof typeof SAMPLE_STREAMS): RandomStream {
  return new RandomStream(seed, FIRST_SAMPLE_STREAM + STREAMS_PER_SAMPLE * sample + SAMPLE_STREAMS[purpose]);
}

/** Uniform on (lo, hi). */
export function between(random: RandomStream, lo: number, hi: number): number {
  return lo + (hi - lo) * random.uniform();
}

/** Log-uniform on (lo, hi): as often in (1, 10) as in (10, 100). */
export function logBetween(random: RandomStream, lo: number, hi: number): number {
  return lo * (hi / lo) ** random.uniform();
}

/** Index drawn with probability proportional to `weights`. */
export function pick(random: RandomStream, weights: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < weights.length; i++) total += weights[i];
  let left = random.uniform() * total;
  for (let i = 0; i < weights.length - 1; i++) {
    left -= weights[i];
    if (left < 0) return i;
  }
  return weights.length - 1;
}
