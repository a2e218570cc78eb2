// [coordinator] What a reader is told of how many samples have a label. An owner that sends one id, or one more, and an operator who
// reads the counts could otherwise find out of any id whether it is labelled.
import { createHmac } from 'node:crypto';
import type { Overlap } from '../../exchange/messages/overlap.ts';
import { countStep } from '../training/disclosure.ts';

export interface OverlapFacts {
  /** SHA-256 of each owner's bundle, in the order of the overlap. */
  bundles: readonly string[];
  /** SHA-256 of the labels. */
  labels: string;
  /** The federation's secret. */
  key: string;
}

/** For others than the label holder, and whom it tells everything. What has nothing to do with labels stays as it is. */
export function tellOverlap(overlap: Overlap, { bundles, labels, key }: OverlapFacts): Overlap {
  const { labelled, allLabelled, samples, all } = overlap;
  const tell = (count: number, of: string[], most: number) => {
    const digest = createHmac('sha256', key)
      .update(JSON.stringify([labels, ...of]))
      .digest();
    return Math.min(most, blurred(count, digest.readUInt32LE() / 2 ** 32));
  };
  return {
    ...overlap,
    labelled: labelled?.map((count, i) => tell(count, [bundles[i]], samples[i])) ?? null,
    allLabelled: allLabelled === null ? null : tell(allLabelled, [...bundles], all),
  };
}

/**
 * A count, give or take a step, rounded; 0 up to one step. Rounding alone would not do: whoever brings a count next to the place
 * where it is rounded up sees one sample more. `chance` from 0 to 1 depends on the content, so that asking again tells nothing new.
 */
export function blurred(count: number, chance: number): number {
  const step = countStep(count);
  const near = Math.round(count / step + 2 * chance - 1) * step;
  return near <= step ? 0 : near;
}
