// [wire] What a stored model loses when chosen owners are absent, and which owners it can least afford to lose.
import { z } from 'zod';
import { partScoresSchema, toldSchema } from './evaluation.ts';

/** So many changed samples are listed. */
export const MOST_CHANGED = 100;

/** The body of POST /v1/federations/:f/models/:v/what-if */
export const whatIfRequestSchema = z.strictObject({
  /** Owners of the model; somebody must be left. */
  absent: z.array(z.string().min(1).max(255)).max(100_000),
});
/** Owners that are taken for absent. */
export type WhatIfRequest = z.infer<typeof whatIfRequestSchema>;

/** POST /v1/federations/:f/models/:v/what-if */
export const whatIfSchema = z.object({
  model: z.number().int(),
  absent: z.array(z.string()),
  /** How many samples were predicted, and how many the validation part has. */
  samples: z.number().int(),
  of: z.number().int(),
  classes: z.array(z.string()),
  told: toldSchema,
  /** With everybody there. */
  base: partScoresSchema,
  /** Without the absent ones. */
  scores: partScoresSchema,
  /** Mean change of a sample's class probabilities, from 0 to 1: half the sum of the absolute differences. No label has a part in it. */
  shift: z.number(),
  /** Samples that are predicted as another class. */
  flips: z.number().int(),
  /** The samples that change most: predicted class and its probability before and after. No labels. */
  changed: z.array(
    z.object({
      /** Its id, or its place in this list for readers who are not told everything. */
      sample: z.string(),
      before: z.object({ class: z.string(), probability: z.number() }),
      after: z.object({ class: z.string(), probability: z.number() }),
    }),
  ),
});
/** What a model predicts without chosen owners. */
export type WhatIf = z.infer<typeof whatIfSchema>;

/** GET and POST /v1/federations/:f/models/:v/criticality */
export const criticalitySchema = z.object({
  model: z.number().int(),
  /** `none`: nobody has asked for it yet. */
  state: z.enum(['none', 'running', 'done', 'failed']),
  /** Predictions of the part that were made, and that will be made. */
  done: z.number().int(),
  of: z.number().int(),
  told: toldSchema.nullable(),
  /** Every owner alone, the most critical first: how much the log loss rises and the AUC falls without it, and how far predictions move. */
  owners: z.array(
    z.object({ owner: z.string(), loss: z.number().nullable(), auc: z.number().nullable(), shift: z.number() }),
  ),
  /** The five that cost most together, in the order in which they were found (each is the costliest beside those before it). */
  five: z.array(
    z.object({ owner: z.string(), loss: z.number().nullable(), auc: z.number().nullable(), shift: z.number() }),
  ),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});
/** Which owners a model can least afford to lose. */
export type Criticality = z.infer<typeof criticalitySchema>;
