// [entity] What an entity holds of the owners' embeddings: one share of every number, and who saw which sample.

/** Rows that are put where a prediction finds them, from bundles and from samples of this moment. */
export interface PlacedRows {
  /** Roots of the owners' bundles, in the order of owners; null where an owner has none. */
  roots: readonly (string | null)[];
  /** [owner, sample]: the row in the owner's bundle, −1 where it comes from no bundle */
  rows: Int32Array;
  /** Shares that owners sent a moment ago, by the name they gave them. */
  live: readonly { owner: number; sample: number; ticket: string }[];
}

/** One entity's shares of all embeddings, in the owners' and samples' order of a training. */
export interface EmbeddingShares {
  /** Width of each owner's embeddings. */
  readonly widths: readonly number[];
  /** Number of samples. */
  readonly samples: number;
  /** Shares of an owner, [sample, width] numbers of 16 bytes; rows of samples that it did not see are ignored. */
  of(owner: number): Uint8Array;
  /** Replaces rows from sample 0 on, where samples are those of requests and not of a training. */
  place?(placed: PlacedRows): Promise<void>;
}
