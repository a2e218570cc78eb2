// [coordinator] A route in the OpenAPI document: its schemas, what it is for, what it answers, and who may ask.
import type { RouteOptions } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { ERRORS, type ErrorCode } from '../../errors.ts';
import { ROUTE_NOTES, type RouteNote } from './route-notes.ts';

/** Beside the schema itself: roles as `x-f3-roles`, and no security where none is asked for. */
export const describeRoute: typeof jsonSchemaTransform = (input) => {
  const described = jsonSchemaTransform(input);
  const { config, method } = (input as { route?: RouteOptions }).route ?? {};
  const { allow, allowsInferenceTokens = false } = config ?? {};
  const others = allowsInferenceTokens ? ['inference token'] : [];
  const security = allowsInferenceTokens ? { security: [{ requestToken: [] }, { inferenceToken: [] }] } : {};
  const roles = Array.isArray(allow) ? { 'x-f3-roles': [...allow, ...others], ...security } : { security: [] };
  const note = ROUTE_NOTES[`${method} ${input.url.replace(/:(\w+)/g, '{$1}')}`];
  const noted = note ? { description: note.says, response: answersOf(note) } : {};
  return { ...described, schema: { ...(described.schema as object), ...noted, ...roles } };
};

/** By status. What any route may answer stands in docs/http-api.md. */
function answersOf({ answer, errors = [] }: RouteNote): Record<string, object> {
  const statusOf = (code: string) => ERRORS[code as ErrorCode]?.status ?? 422; // a family, F3_BUNDLE_…
  const refusals = Object.entries(Object.groupBy(errors, (code) => String(statusOf(code))));
  const described = [['200', answer], ...refusals.map(([status, codes = []]) => [status, codes.join(', ')])];
  return Object.fromEntries(described.map(([status, description]) => [status, { description, type: 'null' }]));
}

/** For the document as a whole. */
export const TOKENS = {
  securitySchemes: {
    requestToken: { type: 'http', scheme: 'bearer', bearerFormat: 'f3-request+jwt' },
    inferenceToken: { type: 'http', scheme: 'bearer', bearerFormat: 'f3t_…' },
  },
} as const;
