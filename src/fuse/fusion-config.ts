// [coordinator] What a fused model is: every variant and baseline of the paper is a value here (Sections 4 and 5).

export interface FusionConfig {
  /**
   * How embeddings, or the owners' own votes, become one prediction.
   * Learned from embeddings: `consensus` (F³; without alignment and graph it is mean pooling), `transformer`,
   * `concatenation`. Made of votes: `majority`, `threshold` (two classes), `best` (on validation), `average`.
   */
  method: FusionMethod;
  /** P_i: none, free (soft), or nearly a permutation by Sinkhorn–Knopp (hard). */
  alignment: 'none' | 'soft' | 'hard';
  /** Start of Sinkhorn–Knopp for hard alignment: M∘M or exp(σ(M)/0.01). */
  sinkhorn: 'square' | 'exp';
  sweeps: number;
  /** Weight of the mean row entropy in the loss, for hard alignment. */
  entropyWeight: number;
  /** A: none (mean pooling, Eq. 5), given, κ nearest neighbours, or learned by either relaxation. */
  graph: 'none' | 'given' | 'knn' | 'icdf' | 'gumbel';
  /** F of the ICDF relaxation. */
  reference: 'normal' | 'logistic' | 'uniform';
  /** τ */
  temperature: number;
  /**
   * Puts edge probabilities back inside their clamp after every update. The published program does not: one that steps
   * over the clamp gets no more gradient and stays there for good.
   */
  projectEdges: boolean;
  /** One sampled graph for each example of a batch, or one for the whole batch. */
  graphsPer: 'example' | 'batch';
  /** κ */
  neighbours: number;
  /** Adds another identity to the normalised graph. */
  skip: boolean;
  /** Width h of the hidden layer. */
  hidden: number;
  /** Chance that an owner is left out of a training example, so that prediction survives absence. */
  ownerDropout: number;
  learningRate: number;
  batch: number;
  epochs: number;
  /** Epochs without a better validation loss before training stops. */
  patience: number;
  /** Graphs whose logits are averaged at prediction (S). */
  predictionGraphs: number;
  seed: number;
}

export const LEARNED_METHODS = ['consensus', 'transformer', 'concatenation'] as const;
export const VOTE_METHODS = ['majority', 'threshold', 'best', 'average'] as const;
export type VoteMethod = (typeof VOTE_METHODS)[number];
export type FusionMethod = (typeof LEARNED_METHODS)[number] | VoteMethod;

export const isVoteMethod = (method: FusionMethod): method is VoteMethod =>
  (VOTE_METHODS as readonly string[]).includes(method);

/** The published program's choices (row K of Table 2). */
export const paperPreset: FusionConfig = {
  method: 'consensus',
  alignment: 'soft',
  sinkhorn: 'square',
  sweeps: 10,
  entropyWeight: 0.01,
  graph: 'icdf',
  reference: 'normal',
  temperature: 0.1,
  projectEdges: false,
  graphsPer: 'example',
  neighbours: 10,
  skip: true,
  hidden: 8,
  ownerDropout: 0,
  learningRate: 0.01,
  batch: 100,
  epochs: 500,
  patience: 50,
  predictionGraphs: 10,
  seed: 0,
};

/**
 * What we advise, by measurement (docs/results.md): better with owners absent, mostly level with everybody present, with
 * edge probabilities that can be read; it takes more epochs.
 */
export const recommendedPreset: FusionConfig = {
  ...paperPreset,
  ownerDropout: 0.5,
  projectEdges: true,
};

export const fusionPresets = { paper: paperPreset, recommended: recommendedPreset } as const;
export type FusionPreset = keyof typeof fusionPresets;

/** Learning rates that the published program chooses between on validation. */
export const CANDIDATE_LEARNING_RATES = [0.01, 0.001] as const;

/**
 * Rows of Table 2, as changes to the paper's preset. A and J want bundles of owners trained another way (`f3 owner train
 * --common` and `--tied-head`). L and M train the owners' models too: see experiments/end-to-end.ts.
 */
export const paperRows = {
  A: { method: 'average' },
  B: { method: 'majority' },
  C: { method: 'threshold' },
  D: { method: 'best' },
  E: { alignment: 'none', graph: 'none' },
  F: { method: 'transformer' },
  G: { method: 'concatenation' },
  H: { alignment: 'none' },
  J: { alignment: 'none' },
  K: {},
} as const satisfies Record<string, Partial<FusionConfig>>;

export type PaperRow = keyof typeof paperRows;
