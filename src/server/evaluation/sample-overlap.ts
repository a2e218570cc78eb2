// [coordinator] Which samples owners have in common: per pair, by how many owners saw a sample, and the most frequent groups.
import { MOST_OWNER_GROUPS, MOST_PAIRED_OWNERS, type Overlap } from '../../exchange/messages/overlap.ts';

/** Larger groups are told by their size alone: nobody reads a list of a thousand names. */
const MOST_NAMED = 50;

export class SampleOverlap {
  readonly #owners: string[] = [];
  readonly #samples: number[] = [];
  /** By sample, the owners that saw it, in rising order. */
  readonly #seenBy = new Map<string, number[]>();
  #labelled: ReadonlySet<string> | undefined;

  setLabelled(samples: readonly string[]): void {
    this.#labelled = new Set(samples);
  }

  /** Owners come in the order in which they are listed. */
  add(owner: string, samples: readonly string[]): void {
    const number = this.#owners.push(owner) - 1;
    this.#samples.push(samples.length);
    for (const sample of samples) {
      const seen = this.#seenBy.get(sample);
      if (seen) seen.push(number);
      else this.#seenBy.set(sample, [number]);
    }
  }

  count(): Overlap {
    const owners = this.#owners.length;
    const pairs = owners <= MOST_PAIRED_OWNERS ? new Uint32Array(owners * owners) : undefined;
    const labelled = new Uint32Array(owners);
    const sizes = new Map<number, number>();
    const groups = new Map<string, { owners: readonly number[]; samples: number }>();
    let allLabelled = 0;
    for (const [sample, seen] of this.#seenBy) {
      const hasLabel = this.#labelled?.has(sample) ?? false;
      if (hasLabel) allLabelled++;
      sizes.set(seen.length, (sizes.get(seen.length) ?? 0) + 1);
      for (const a of seen) {
        if (hasLabel) labelled[a]++;
        if (pairs) for (const b of seen) pairs[a * owners + b]++;
      }
      const key = seen.join();
      const group = groups.get(key);
      if (group) group.samples++;
      else groups.set(key, { owners: seen, samples: 1 });
    }
    const top = [...groups.values()].sort((a, b) => b.samples - a.samples).slice(0, MOST_OWNER_GROUPS);
    return {
      owners: this.#owners,
      samples: this.#samples,
      labelled: this.#labelled ? [...labelled] : null,
      pairs: pairs ? [...pairs] : null,
      sets: [...sizes].sort(([a], [b]) => a - b).map(([size, samples]) => ({ owners: size, samples })),
      top: top.map(({ owners: seen, samples }) => ({
        owners: seen.length <= MOST_NAMED ? seen.map((number) => this.#owners[number]) : null,
        size: seen.length,
        samples,
      })),
      all: this.#seenBy.size,
      allLabelled: this.#labelled ? allLabelled : null,
    };
  }
}
