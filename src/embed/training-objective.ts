// [owner] What a local model is trained for.

/** What a local model is trained for, by name. */
export const TRAINING_OBJECTIVES = ['label', 'label+reconstruction'] as const;
/**
 * What a local model is trained for. With `label+reconstruction` an embedding must also let a linear decoder read the
 * window back, so it gives more of the readings away.
 */
export type TrainingObjective = (typeof TRAINING_OBJECTIVES)[number];
