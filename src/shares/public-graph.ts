// [entity] What entities know of a batch: the graph, its normalisation, and each owner's weight in the mean, as whole numbers (Eq. 8).
import { FRACTION_BITS } from './fixed-point.ts';
import { type BitPlan, EDGE_BITS, GRAPH_BITS, type SharedShape } from './shared-shape.ts';

/** What the coordinator tells of a batch. */
export interface PublicBatch {
  /** Sample numbers. */
  rows: Uint32Array;
  /** [sample, owner] of 0 and 1; without it everybody is present */
  present?: Uint8Array | undefined;
  /** [owner, owner] edges; none without a graph */
  adjacency?: Float32Array | undefined;
}

/** Public factors of a batch. Those of samples are [sample, owner], or [owner] with `step` 0 where everybody is present. */
export interface PublicFactors {
  /** Â [owner, owner] with `GRAPH_BITS`, and its transpose; none without a graph. */
  graph?: Int32Array;
  transposed?: Int32Array;
  /** Numbers between two samples' weights. */
  step: number;
  /** Weight of an owner in the mean: m·(Âᵀm)/n. */
  weights: Int32Array;
  /** Share of owners that are present, [sample], with `FRACTION_BITS`: at most 2^24. */
  shares: Int32Array;
}

/** D^{-1/2} of A + I. */
export function inverseRoots(adjacency: Float32Array, n: number): Float64Array {
  return Float64Array.from({ length: n }, (_, i) => {
    let degree = 1;
    for (let j = 0; j < n; j++) degree += adjacency[i * n + j];
    return 1 / Math.sqrt(degree);
  });
}

/** Â = D^{-1/2}(A + I)D^{-1/2}, and another I with skip: [owner, owner] */
export function normalisedGraph(adjacency: Float32Array, n: number, skip: boolean): Float64Array {
  const root = inverseRoots(adjacency, n);
  const graph = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) graph[i * n + j] = root[i] * root[j] * (adjacency[i * n + j] + (i === j ? 1 : 0));
    if (skip) graph[i * n + i] += 1;
  }
  return graph;
}

/** Âᵀm of every sample [sample, owner], or Âᵀ1 [owner] where everybody is present; ones without a graph. */
export function poolingOf(
  graph: Float64Array | undefined,
  n: number,
  batch: number,
  present?: Uint8Array,
): Float64Array {
  const rows = present ? batch : 1;
  if (!graph) return new Float64Array(rows * n).fill(1);
  const pooling = new Float64Array(rows * n);
  for (let b = 0; b < rows; b++) {
    for (let i = 0; i < n; i++) {
      if (present && present[b * n + i] === 0) continue;
      for (let j = 0; j < n; j++) pooling[b * n + j] += graph[i * n + j];
    }
  }
  return pooling;
}

export function publicFactors(
  { rows, present, adjacency }: PublicBatch,
  { owners: n, skip }: SharedShape,
  { weight }: BitPlan,
): PublicFactors & { pooling: Float64Array } {
  const graph = adjacency && normalisedGraph(adjacency, n, skip);
  const pooling = poolingOf(graph, n, rows.length, present);
  const weights = Int32Array.from(pooling, (value, at) => round(((present?.[at] ?? 1) * value) / n, weight));
  const shares = Int32Array.from({ length: rows.length }, (_, b) => {
    const count = present ? present.subarray(b * n, (b + 1) * n).reduce((sum, is) => sum + is, 0) : n;
    return round(count / n, FRACTION_BITS);
  });
  const known = { step: present ? n : 0, weights, shares, pooling };
  if (!graph) return known;
  return { ...known, graph: rounded(graph, n, false), transposed: rounded(graph, n, true) };
}

/**
 * Factors that lead from the gradients of Â and of the pooling weights to those of the edges, with `EDGE_BITS`: out_ij = p_ij·T_ij − t_i − t_j, t_i = Σ_j q_ij·T_ij;
 * and u, v of the pooling weights' gradient, [sample, owner] or [owner] as `weights` are.
 */
export function edgeFactors({ present, adjacency }: PublicBatch, n: number, pooling: Float64Array) {
  if (!adjacency) throw new Error('edges: a learned graph must come with every batch');
  const root = inverseRoots(adjacency, n);
  const [p, q] = [new Int32Array(n * n), new Int32Array(n * n)];
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      p[i * n + j] = round(root[i] * root[j], EDGE_BITS);
      const edge = i === j ? 1 : adjacency[i * n + j];
      q[i * n + j] = round(0.5 * root[i] ** 3 * root[j] * edge, EDGE_BITS);
    }
  }
  const isPresent = (at: number) => (present?.[at] ?? 1) === 1;
  const u = Int32Array.from(pooling, (value, at) => (isPresent(at) ? round(0.5 / value, EDGE_BITS) : 0));
  const v = Int32Array.from(pooling, (_, at) => (isPresent(at) ? round(0.25 / n, EDGE_BITS) : 0));
  return { p, q, u, v };
}

function rounded(graph: Float64Array, n: number, transpose: boolean): Int32Array {
  const numbers = new Int32Array(n * n);
  const [row, column] = transpose ? [1, n] : [n, 1];
  for (let i = 0, at = 0; i < n; i++) {
    for (let j = 0; j < n; j++) numbers[at++] = round(graph[i * row + j * column], GRAPH_BITS);
  }
  return numbers;
}

const round = (value: number, bits: number): number => Math.round(value * 2 ** bits);
