// [coordinator] A model's number in a request.
import { z } from 'zod';

/** PostgreSQL's integer ends there. */
export const MOST_VERSIONS = 2 ** 31 - 1;

/** In a path. */
export const modelVersion = z.coerce.number().int().min(1).max(MOST_VERSIONS);
