// [wire] Predictions as they are made, for the page that watches them, and why one of them came out as it did.
import { z } from 'zod';

/** So many predictions are in one event; events come at most twenty times a second. */
export const MOST_PREDICTIONS_PER_EVENT = 100;
/** So many absent owners are named. */
export const MOST_NAMED_ABSENT = 20;

export const livePredictionSchema = z.object({
  /** A number that rises with every prediction of this process. */
  number: z.number().int(),
  at: z.iso.datetime(),
  sample: z.string(),
  model: z.number().int(),
  /** `live`: owners posted their embeddings one by one. `batch`: a program asked for it. */
  source: z.enum(['live', 'batch']),
  class: z.string(),
  /** In the order of the event's `classes`. */
  probabilities: z.array(z.number()),
  /** Of the class that is named, which need not be the likeliest. */
  probability: z.number(),
  /** Of an ensemble: standard deviation between its members of that probability. */
  uncertainty: z.number().optional(),
  /** How many owners were present, of how many of the model. */
  present: z.number().int(),
  owners: z.number().int(),
  /** Names of absent owners, 20 at most. */
  absent: z.array(z.string()),
  /** From the first embedding of the sample, or from the request, to the answer. */
  latencyMs: z.number(),
  /** Whether a deadline came before everybody did. */
  isLate: z.boolean(),
  /** Whether its embeddings are kept, so that it can be explained. */
  canExplain: z.boolean(),
});
/** A prediction as it was made. */
export type LivePrediction = z.infer<typeof livePredictionSchema>;

/** The data of an event of GET /v1/federations/:f/live/events. Its id is the number of its last prediction. */
export const liveEventSchema = z.object({
  classes: z.array(z.string()),
  predictions: z.array(livePredictionSchema),
  /** Predictions that were left out since the last event, because there were too many. */
  skipped: z.number().int(),
});
/** Predictions of one moment. */
export type LiveEvent = z.infer<typeof liveEventSchema>;

/** GET /v1/federations/:f/live/:sample/explanation */
export const explanationSchema = z.object({
  sample: z.string(),
  model: z.number().int(),
  /** Each owner in turn is left out, and the model is asked again: exact for this model, and no sum of parts. */
  method: z.literal('leave-one-out'),
  class: z.string(),
  classes: z.array(z.string()),
  /** Probability of the class with everybody who was present. */
  base: z.number(),
  /** Present owners, the largest effect first: how much of the probability is gone without it. Positive: it spoke for the class. */
  owners: z.array(z.object({ owner: z.string(), effect: z.number() })),
  absent: z.array(z.string()),
});
/** Which owners pushed a prediction which way. */
export type LiveExplanation = z.infer<typeof explanationSchema>;
