// [owner] [coordinator] Edges of quantile bins: per owner and dimension of its embedding, cut so that training samples fill bins evenly.

export interface EdgeSource {
  /** [sample, owner, d] */
  embeddings: Float32Array;
  /** [sample, owner], 1 where the owner saw the sample; without it every owner saw every sample */
  present?: Float32Array | undefined;
  owners: number;
  width: number;
}

/**
 * Quantiles 0, 1/bins, … 1 over the `rows` that an owner saw, linear between neighbours: [owner, d, bins + 1]. An owner
 * that saw none of them gets zeros: bins without width, which say nothing.
 */
export function quantileEdges({ embeddings, present, owners, width }: EdgeSource, rows: Uint32Array, bins: number) {
  const edges = new Float32Array(owners * width * (bins + 1));
  for (let owner = 0; owner < owners; owner++) {
    const seen = present ? rows.filter((row) => present[row * owners + owner] !== 0) : rows;
    if (seen.length === 0) continue;
    const values = new Float32Array(seen.length);
    for (let k = 0; k < width; k++) {
      for (let i = 0; i < seen.length; i++) values[i] = embeddings[(seen[i] * owners + owner) * width + k];
      values.sort();
      const at = (owner * width + k) * (bins + 1);
      for (let edge = 0; edge <= bins; edge++) edges[at + edge] = quantile(values, edge / bins);
    }
  }
  return edges;
}

/** `share` of the way through ascending values. */
function quantile(values: Float32Array, share: number): number {
  const position = share * (values.length - 1);
  const below = Math.floor(position);
  const above = Math.min(below + 1, values.length - 1);
  return values[below] + (position - below) * (values[above] - values[below]);
}
