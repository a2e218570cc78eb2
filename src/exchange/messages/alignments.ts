// [wire] How a stored model turns an owner's embeddings into the common space.
import { z } from 'zod';

/** Up to so many rows or columns are told; larger ones are averaged in blocks. */
export const MOST_ALIGNMENT_SIDE = 128;

/** GET /v1/federations/:f/models/:v/alignments/:owner */
export const alignmentSchema = z.object({
  model: z.number().int(),
  owner: z.string(),
  /** `hard`: each coordinate takes the place of another. `soft`: a matrix of any numbers. `none`: embeddings are taken as they come. */
  kind: z.enum(['hard', 'soft', 'none']),
  /** The matrix has a row per coordinate of the common space and a column per coordinate of the owner's embedding. */
  rows: z.number().int(),
  columns: z.number().int(),
  /** Row by row; empty for `none`. */
  values: z.array(z.number()),
  /** Of a hard one: for each row the column with the largest number. */
  permutation: z.array(z.number().int()).nullable(),
  /** Whether the matrix was averaged in blocks, to have at most 128 rows and columns. */
  averaged: z.boolean(),
});
/** How a model turns an owner's embeddings into the common space. */
export type ModelAlignment = z.infer<typeof alignmentSchema>;
