// [wire] Samples to predict, live ones too, and what is answered.
import type { AnswerObject } from './answer-object.ts';

/** Samples to predict, each with the embeddings of the owners that are present. */
export interface PredictionRequest {
  /** `embeddings`: owner → its embedding of the sample; on shares none, since samples are those that owners have pushed. */
  samples: { id: string; embeddings?: Record<string, readonly number[]> }[];
  /** On shares: owners that are left out, as if they had sent nothing. */
  without?: readonly string[];
  /** Average over sampled graphs, which is the default, or use the mean graph. */
  graphs?: 'sampled' | 'mean';
}

/** The most samples that one request may ask for. */
export const MOST_SAMPLES = 10_000;

/** POST /v1/federations/:f/predict */
export interface PredictionAnswer extends AnswerObject {
  /** Version of the model that answered. */
  model: number;
  classes: string[];
  /**
   * The predictions stand in the order of the request, probabilities in that of the classes. `owners` names who was present. Of an ensemble
   * `uncertainty` is the standard deviation between its members of the class's probability.
   */
  predictions: { sample: string; class: string; probabilities: number[]; owners: string[]; uncertainty?: number }[];
}

/** The longest `deadlineMs`. It is below the minute after which a request is cut. */
export const LONGEST_DEADLINE_MS = 50_000;

/** One owner's embedding of a sample of this moment. */
export interface LiveRequest {
  /** [d] numbers of the owner's frozen model. */
  embedding?: readonly number[];
  /** Instead, in a federation on shares: the name under which every entity holds its share, d, and the id of its codes if it is coded. */
  share?: { ticket: string; width: number; coding?: string };
  /** How many owners suffice. */
  quorum?: number;
  /** After how many milliseconds to answer with whoever is there. */
  deadlineMs?: number;
}
