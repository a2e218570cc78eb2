// [coordinator] The mean over owners as a quadratic form. With Ã = [Â | 1] and weights w = m·(Âᵀm)/n: Q = ¼·ÃᵀWÃ and g = ½·Ãᵀw, averaged over graphs,
// so that Σ_i w_i·(¼z_i² + ½z_i) = xᵀQx + gᵀx, where x holds what the owners bring and, last, the bias.
import { normalisedGraph, poolingOf } from '../../shares/public-graph.ts';

/** Q [n + 1, n + 1] and g [n + 1] */
export interface QuadraticForm {
  quadratic: Float64Array;
  linear: Float64Array;
}

/** `graphs`: adjacencies [owner, owner], each counting alike; none: owners do not see each other. `present`: [owner] of 0 and 1. */
export function quadraticForm(
  graphs: readonly Float32Array[],
  n: number,
  skip: boolean,
  present?: Uint8Array,
): QuadraticForm {
  const size = n + 1;
  const quadratic = new Float64Array(size * size);
  const linear = new Float64Array(size);
  const normalised = graphs.length > 0 ? graphs.map((graph) => normalisedGraph(graph, n, skip)) : [undefined];
  for (const graph of normalised) {
    const pooling = poolingOf(graph, n, 1, present);
    for (let i = 0; i < n; i++) {
      const weight = ((present?.[i] ?? 1) * pooling[i]) / (n * normalised.length);
      if (weight === 0) continue;
      const row = rowWithBias(graph, n, i);
      addOuterProduct(quadratic, row, weight / 4);
      for (let j = 0; j < size; j++) linear[j] += (weight / 2) * row[j];
    }
  }
  return { quadratic, linear };
}

/** Row i of Ã; the graph without edges is the identity. */
function rowWithBias(graph: Float64Array | undefined, n: number, i: number): Float64Array {
  const row = new Float64Array(n + 1);
  if (graph) row.set(graph.subarray(i * n, (i + 1) * n));
  else row[i] = 1;
  row[n] = 1;
  return row;
}

function addOuterProduct(matrix: Float64Array, row: Float64Array, weight: number): void {
  const size = row.length;
  for (let i = 0; i < size; i++) {
    const factor = weight * row[i];
    if (factor === 0) continue;
    const at = i * size;
    for (let j = 0; j < size; j++) matrix[at + j] += factor * row[j];
  }
}
