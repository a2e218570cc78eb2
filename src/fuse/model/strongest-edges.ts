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
export function summariseGraph(graph: OwnerGraph, most: number, bins = 20): GraphSummary {
  const { kind, owners } = graph;
  const counts = new Array<number>(bins).fill(0);
  const pairs = (owners * (owners - 1)) / 2;
  let sum = 0;
  for (const { strengths } of ownerRows(graph)) {
    for (const strength of strengths) {
      sum += strength;
      counts[Math.min(bins - 1, Math.floor(strength * bins))]++;
    }
  }
  const histogram = counts.map((count, b) => ({ from: b / bins, to: (b + 1) / bins, count }));
  return { kind, pairs, mean: sum / pairs, histogram, edges: most > 0 ? strongestEdges(graph, most) : [] };
}

interface OwnerRow {
  owner: number;
  /** Of its edges to all owners after it. */
  strengths: Float32Array;
}

/** A learned graph is symmetric: nothing is read down its columns, which takes long where there are many. */
function* ownerRows({ kind, owners, probabilities }: OwnerGraph): Generator<OwnerRow> {
  for (let i = 0; i < owners; i++) {
    const strengths = probabilities.subarray(i * owners + i + 1, (i + 1) * owners);
    if (kind === 'learned') yield { owner: i, strengths };
    else {
      const back = (step: number) => probabilities[(i + 1 + step) * owners + i];
      yield { owner: i, strengths: strengths.map((strength, step) => Math.max(strength, back(step))) };
    }
  }
}

function strongestEdges(graph: OwnerGraph, most: number): Edge[] {
  const { least, ties } = cutOff(graph, most);
  const found: Edge[] = [];
  let left = ties;
  for (const { owner, strengths } of ownerRows(graph)) {
    for (let step = 0; step < strengths.length; step++) {
      const probability = strengths[step];
      if (probability < least || probability === 0) continue;
      if (probability === least && left-- <= 0) continue;
      found.push({ ends: [owner, owner + 1 + step], probability });
    }
  }
  return found.sort((a, b) => b.probability - a.probability); // stable
}

/** Bits of a positive number of single precision rise with it. The upper half is looked at first, then the lower. */
const HALF = 16;
const SIZE = 2 ** HALF;

/** The weakest strength among the `most` strongest edges, and how many of that very strength belong to them. */
function cutOff(graph: OwnerGraph, most: number): { least: number; ties: number } {
  const number = new Float32Array(1);
  const bits = new Uint32Array(number.buffer);
  const [upper, lower] = [new Uint32Array(SIZE), new Uint32Array(SIZE)];
  for (const { strengths } of ownerRows(graph)) {
    for (const strength of strengths) {
      number[0] = strength;
      upper[bits[0] >>> HALF]++;
    }
  }
  const coarse = cutOffBin(upper, most);
  for (const { strengths } of ownerRows(graph)) {
    for (const strength of strengths) {
      number[0] = strength;
      if (bits[0] >>> HALF === coarse.bin) lower[bits[0] & (SIZE - 1)]++;
    }
  }
  const fine = cutOffBin(lower, coarse.left);
  bits[0] = ((coarse.bin << HALF) | fine.bin) >>> 0;
  return { least: number[0], ties: fine.left };
}

/** The bin in which the `most`-th from above lies, and how many are wanted of it. */
function cutOffBin(counts: Uint32Array, most: number): { bin: number; left: number } {
  let left = most;
  for (let bin = counts.length - 1; bin > 0; bin--) {
    if (counts[bin] >= left) return { bin, left };
    left -= counts[bin];
  }
  return { bin: 0, left };
}
