// [coordinator] Embeddings of all owners side by side, as trees look at them: what an absent owner would say is missing.

export interface SideBySide {
  /** [sample, owner, d] */
  embeddings: Float32Array;
  /** [sample, owner], 1 where the owner saw the sample; without it every owner saw every sample */
  present?: Float32Array | undefined;
  owners: number;
  width: number;
}

/** `rows` → [row, owner · d], NaN where the owner is absent */
export function ownerFeatures({ embeddings, present, owners, width }: SideBySide, rows: Uint32Array): Float32Array {
  const size = owners * width;
  const features = new Float32Array(rows.length * size);
  rows.forEach((row, i) => {
    features.set(embeddings.subarray(row * size, (row + 1) * size), i * size);
    if (!present) return;
    for (let owner = 0; owner < owners; owner++) {
      if (present[row * owners + owner] !== 0) continue;
      const at = i * size + owner * width;
      features.fill(Number.NaN, at, at + width);
    }
  });
  return features;
}
