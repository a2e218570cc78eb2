// [coordinator] What a global model is: every variant of the paper is a value here (Sections 4 and 5).

export interface FusionConfig {
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
  /** One sampled graph for each example of a batch, or one for the whole batch. */
  graphsPer: 'example' | 'batch';
  /** κ */
  neighbours: number;
  /** Adds another identity to the normalised graph. */
  skip: boolean;
  /** Width h of the hidden layer. */
  hidden: number;
  learningRate: number;
  batch: number;
  epochs: number;
  /** Epochs without a better validation loss before training stops. */
  patience: number;
  /** Graphs whose logits are averaged at prediction (S). */
  predictionGraphs: number;
  seed: number;
}

/** The published program's choices (row K of Table 2). */
export const paperPreset: FusionConfig = {
  alignment: 'soft',
  sinkhorn: 'square',
  sweeps: 10,
  entropyWeight: 0.01,
  graph: 'icdf',
  reference: 'normal',
  temperature: 0.1,
  graphsPer: 'example',
  neighbours: 10,
  skip: true,
  hidden: 8,
  learningRate: 0.01,
  batch: 100,
  epochs: 500,
  patience: 50,
  predictionGraphs: 10,
  seed: 0,
};
