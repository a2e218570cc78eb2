// [coordinator] The strongest edges of a graph, and what all of them are like, without listing them all: ten thousand owners have
// fifty million pairs.
import type { Bin, Edge, OwnerGraph } from './owner-graph.ts';

export interface GraphSummary {
  kind: OwnerGraph['kind'];
  /** Of owners: n (n − 1) / 2. */
  pairs: number;
  /** Of all pairs; NaN without any. */
  mean: number;
  /** Equal bins from 0 to 1 over all pairs. */
  histogram: Bin[];
  /** The strongest first, equals in the owners' order. */
  edges: Edge[];
}

/** Like `edgesByStrength` cut off after `most`, in memory for as many. Edges of no strength are left out. */
export function summariseGraph({ kind, owners, probabilities }: OwnerGraph, most: number, bins = 20): GraphSummary {
  const counts = new Array<number>(bins).fill(0);
  const strongest = new Strongest(most);
  const pairs = (owners * (owners - 1)) / 2;
  let sum = 0;
  for (let i = 0; i < owners; i++) {
    for (let j = i + 1; j < owners; j++) {
      const at = i * owners + j;
      const probability = Math.max(probabilities[at], probabilities[j * owners + i]);
      sum += probability;
      counts[Math.min(bins - 1, Math.floor(probability * bins))]++;
      if (probability > 0) strongest.offer(probability, at);
    }
  }
  const edges = strongest
    .sorted()
    .map(({ value, at }): Edge => ({ ends: [Math.floor(at / owners), at % owners], probability: value }));
  const histogram = counts.map((count, b) => ({ from: b / bins, to: (b + 1) / bins, count }));
  return { kind, pairs, mean: sum / pairs, histogram, edges };
}

/** A heap with the weakest of those kept at its root. Of equals the one that was offered first is the stronger. */
class Strongest {
  readonly #most: number;
  readonly #values: number[] = [];
  readonly #places: number[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** In rising order of `at`. */
  offer(value: number, at: number): void {
    if (this.#values.length < this.#most) {
      this.#values.push(value);
      this.#places.push(at);
      this.#rise(this.#values.length - 1);
    } else if (this.#most > 0 && value > this.#values[0]) {
      this.#values[0] = value;
      this.#places[0] = at;
      this.#sink();
    }
  }

  sorted(): { value: number; at: number }[] {
    const kept = this.#values.map((value, i) => ({ value, at: this.#places[i] }));
    return kept.sort((a, b) => b.value - a.value || a.at - b.at);
  }

  #isWeaker(a: number, b: number): boolean {
    const [first, second] = [this.#values[a], this.#values[b]];
    return first < second || (first === second && this.#places[a] > this.#places[b]);
  }

  #rise(from: number): void {
    for (let i = from; i > 0; ) {
      const parent = (i - 1) >> 1;
      if (!this.#isWeaker(i, parent)) return;
      this.#swap(i, parent);
      i = parent;
    }
  }

  #sink(): void {
    for (let i = 0; ; ) {
      const [left, right] = [2 * i + 1, 2 * i + 2];
      let weakest = i;
      if (left < this.#values.length && this.#isWeaker(left, weakest)) weakest = left;
      if (right < this.#values.length && this.#isWeaker(right, weakest)) weakest = right;
      if (weakest === i) return;
      this.#swap(i, weakest);
      i = weakest;
    }
  }

  #swap(a: number, b: number): void {
    [this.#values[a], this.#values[b]] = [this.#values[b], this.#values[a]];
    [this.#places[a], this.#places[b]] = [this.#places[b], this.#places[a]];
  }
}
