// [entity] What an entity holds of the owners' embeddings: one share of every number, and who saw which sample.

/** One entity's shares of all embeddings, in the owners' and samples' order of a training. */
export interface EmbeddingShares {
  /** Width of each owner's embeddings. */
  readonly widths: readonly number[];
  /** Number of samples. */
  readonly samples: number;
  /** Shares of an owner, [sample, width] numbers of 16 bytes; rows of samples that it did not see are ignored. */
  of(owner: number): Uint8Array;
}
