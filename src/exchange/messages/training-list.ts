// [wire] Trainings of a federation as a list, the newest first, with where each stands.
import { z } from 'zod';

const time = z.iso.datetime();

export const trainingEntrySchema = z.object({
  id: z.uuid(),
  state: z.enum(['queued', 'running', 'done', 'failed', 'cancelled']),
  /** What it learns: the method of its config, `search` for preset auto, or `refit`. */
  method: z.string(),
  /** Of an ensemble: how many fits. */
  fits: z.number().int().nullable(),
  /** Of a refit: the owner whose alignment is learned anew. */
  refits: z.string().nullable(),
  /** How many owners it learns from, and which version of the labels. */
  owners: z.number().int(),
  labels: z.number().int(),
  /** Name of the member who asked for it. */
  requestedBy: z.string(),
  created: time,
  started: time.nullable(),
  finished: time.nullable(),
  /** The last epoch: epoch, epochs, trainLoss, validationLoss, bestEpoch, learningRate, member, members, or `search`. */
  progress: z.record(z.string(), z.unknown()).nullable(),
  /** Its place among those that wait, over all federations, from 1; null once it has begun. */
  place: z.number().int().nullable(),
  /** Name of the worker that took it; operators are told it. */
  worker: z.string().nullable(),
  /** Version of the model that it made. */
  model: z.number().int().nullable(),
  promotion: z.record(z.string(), z.unknown()).nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
});
/** A training in a list. */
export type TrainingEntry = z.infer<typeof trainingEntrySchema>;

/** An epoch in the curve of a training. Losses that the label holder's rules withhold are null. */
export const curvePointSchema = z.object({
  /** Rises with every epoch that was reported, over all learning rates and members; events have it as their id. */
  number: z.number().int(),
  epoch: z.number().int(),
  trainLoss: z.number().nullable(),
  validationLoss: z.number().nullable(),
  /** Where several learning rates are tried. */
  learningRate: z.number().optional(),
  /** Of an ensemble: which fit, from 0. */
  member: z.number().int().optional(),
});
/** An epoch in the curve of a training: `curve` of GET …/trainings/:id, and `points` of its events. */
export type CurvePoint = z.infer<typeof curvePointSchema>;

/** GET /v1/federations/:f/trainings */
export const trainingListSchema = z.object({
  trainings: z.array(trainingEntrySchema),
  /** `before` of the next page; null: there is none. */
  next: z.uuid().nullable(),
  /** How many processes take trainings at this moment. */
  workers: z.number().int(),
});
/** GET /v1/federations/:f/trainings */
export type TrainingList = z.infer<typeof trainingListSchema>;
