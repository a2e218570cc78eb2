// [coordinator] Describes each route for the OpenAPI document, /docs and docs/http-api.md, in addition to its schema.
import { FEDERATION_NOTES } from './notes/federations.ts';
import { MEMBER_NOTES } from './notes/members.ts';
import { MODEL_NOTES } from './notes/models.ts';
import { PREDICTION_NOTES } from './notes/predictions.ts';
import type { RouteNote } from './notes/route-note.ts';

/** Notes by method and path. A route without a note is described by its schema alone. */
export const ROUTE_NOTES: Record<string, RouteNote> = {
  ...MEMBER_NOTES,
  ...FEDERATION_NOTES,
  ...MODEL_NOTES,
  ...PREDICTION_NOTES,
};
