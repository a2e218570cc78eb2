// [coordinator] Checks a model's version number in a request.
import { z } from 'zod';

/** The largest value of PostgreSQL's type integer. */
export const MOST_VERSIONS = 2 ** 31 - 1;

/** Parses the version in a path. */
export const modelVersion = z.coerce.number().int().min(1).max(MOST_VERSIONS);
