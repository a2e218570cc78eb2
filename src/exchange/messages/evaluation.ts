// [wire] How good a stored model is on its validation part: scores, curves, calibration, and what absence costs.
import { z } from 'zod';

/** A number that the label holder's rules withhold, or that is not defined, is null. */
const score = z.number().nullable();

/** The scores of a part, or of a part with some owners absent. */
export const partScoresSchema = z.object({ accuracy: score, f1: score, auc: score, prAuc: score, loss: score });
/** The scores of a part. */
export type PartScores = z.infer<typeof partScoresSchema>;

/** To what step the numbers are told, and why. */
export const toldSchema = z.object({
  /** Whether the reader is told everything. */
  exact: z.boolean(),
  /** The step that scores are rounded to; null: they are exact, or withheld. */
  step: z.number().nullable(),
  /** Whether scores are withheld because the part is too small or too like another. */
  withheld: z.boolean(),
});
/** How much of the numbers a reader is told. */
export type Told = z.infer<typeof toldSchema>;

const point = z.tuple([z.number(), z.number()]);

/** GET /v1/federations/:f/models/:v/evaluation */
export const evaluationSchema = z.object({
  model: z.number().int(),
  part: z.literal('validation'),
  /** How many samples were scored, roughly where the reader is not told everything. */
  samples: z.number().int(),
  /** How many the part has. More than `samples`: a fixed choice of them was scored, for speed. */
  of: z.number().int(),
  classes: z.array(z.string()),
  owners: z.array(z.string()),
  told: toldSchema,
  scores: partScoresSchema,
  /** 95 % intervals from 200 resamples of the part: lowest and highest. */
  intervals: z.object({
    accuracy: point.nullable(),
    f1: point.nullable(),
    auc: point.nullable(),
  }),
  /** Samples by true class and predicted class; null where withheld. */
  confusion: z.array(z.array(z.number())).nullable(),
  /** By class, against all others: [false positive rate, true positive rate] and [recall, precision]. Null where withheld. */
  curves: z.array(z.object({ class: z.string(), roc: z.array(point), pr: z.array(point) })).nullable(),
  calibration: z
    .object({
      /** Expected calibration error: the mean distance between confidence and accuracy. */
      error: score,
      /** Samples by the probability of their predicted class. */
      bins: z.array(
        z.object({ from: z.number(), to: z.number(), samples: z.number(), confidence: score, accuracy: score }),
      ),
    })
    .nullable(),
  /** Mean and deviation over three random choices of absent owners; null where withheld. */
  absence: z
    .array(z.object({ absent: z.number(), f1: score, f1Deviation: score, auc: score, aucDeviation: score }))
    .nullable(),
});
/** How good a stored model is on its validation part. */
export type ModelEvaluation = z.infer<typeof evaluationSchema>;
