// [coordinator] What a model's graph between owners looks like: its edges by strength and their distribution.

/** A model's graph between owners. */
export interface OwnerGraph {
  /** Edge probabilities that were learned, a graph that was given (0 or 1), or similarities of nearest neighbours. */
  kind: 'learned' | 'given' | 'neighbours';
  owners: number;
  /** [owner, owner], zero diagonal; symmetric if learned */
  probabilities: Float32Array;
}

export interface Edge {
  /** Numbers of its two owners, the lower one first. */
  ends: [number, number];
  /** Where the two directions of a given graph differ, this is the stronger one. */
  probability: number;
}

/** Every pair of owners, the strongest first and equals in the owners' order. `among` keeps pairs with one of these owners. */
export function edgesByStrength({ owners, probabilities }: OwnerGraph, among?: ReadonlySet<number>): Edge[] {
  const edges: Edge[] = [];
  for (let i = 0; i < owners; i++) {
    for (let j = i + 1; j < owners; j++) {
      if (among && !among.has(i) && !among.has(j)) continue;
      const probability = Math.max(probabilities[i * owners + j], probabilities[j * owners + i]);
      edges.push({ ends: [i, j], probability });
    }
  }
  return edges.sort((a, b) => b.probability - a.probability); // stable
}

export interface Bin {
  from: number;
  to: number;
  count: number;
}

/** Equal bins from 0 to 1; a bin holds its lower bound, the last one both. */
export function edgeHistogram(edges: readonly Edge[], bins: number): Bin[] {
  const counts = new Array<number>(bins).fill(0);
  for (const { probability } of edges) counts[Math.min(bins - 1, Math.floor(probability * bins))]++;
  return counts.map((count, b) => ({ from: b / bins, to: (b + 1) / bins, count }));
}
