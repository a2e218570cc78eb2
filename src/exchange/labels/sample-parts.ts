// [wire] Which samples train, validate and test: the names of the parts, and the random split that everybody draws alike.
import { RandomStream } from '../../core/random.ts';

/** The parts of a split, in their order. */
export const PARTS = ['train', 'validation', 'test'] as const;
/** The name of a part of a split. */
export type Part = (typeof PARTS)[number];

/** The split has random numbers of its own, apart from whatever else is drawn under the same seed. */
const SPLIT_STREAM = 0x73706c74;

/** Draws 70 % to train, 10 % to validate and the rest to test. Each part stands in the order of `samples`. */
export function randomSplit(samples: readonly string[], seed: number): Record<Part, string[]> {
  return cutOrder(samples, new RandomStream(seed, SPLIT_STREAM).permutation(samples.length));
}

/** The first 70 % train, the next 10 % validate and the rest test: `samples` are in the order of time. */
export function timeSplit(samples: readonly string[]): Record<Part, string[]> {
  return cutOrder(samples, Uint32Array.from(samples.keys()));
}

function cutOrder(samples: readonly string[], order: Uint32Array): Record<Part, string[]> {
  const trainEnd = Math.floor(samples.length * 0.7);
  const validationEnd = trainEnd + Math.floor(samples.length * 0.1);
  const pick = (start: number, end?: number) => Array.from(order.subarray(start, end).sort(), (i) => samples[i]);
  return { train: pick(0, trainEnd), validation: pick(trainEnd, validationEnd), test: pick(validationEnd) };
}
