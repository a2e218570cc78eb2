// [wire] Which samples the owners of a federation have in common, as counts.
import { z } from 'zod';

const count = z.number().int().min(0);

/** Up to so many owners are compared pair by pair. */
export const MOST_PAIRED_OWNERS = 200;
/** So many groups of owners are listed. */
export const MOST_OWNER_GROUPS = 20;

/** GET /v1/federations/:f/overlap */
export const overlapSchema = z.object({
  /** Owners whose bundle counts, by name. */
  owners: z.array(z.string()),
  /** Samples of each owner, in the order of `owners`. */
  samples: z.array(count),
  /**
   * How many of them have a label; null while there are no labels. Roughly, and 0 for few, unless the label holder lets the reader know
   * everything.
   */
  labelled: z.array(count).nullable(),
  /** Samples that two owners have in common, row by row; the diagonal is `samples`. Null above 200 owners. */
  pairs: z.array(count).nullable(),
  /** How many samples were seen by exactly so many owners, in rising order of owners. */
  sets: z.array(z.object({ owners: count, samples: count })),
  /** The most frequent groups: samples that exactly these owners saw. Groups above 50 owners are told by their size alone. */
  top: z.array(z.object({ owners: z.array(z.string()).nullable(), size: count, samples: count })),
  /** Samples in all, and those with a label that at least one owner saw (told as `labelled` is); null while there are no labels. */
  all: count,
  allLabelled: count.nullable(),
});
/** Which samples the owners of a federation have in common. */
export type Overlap = z.infer<typeof overlapSchema>;
