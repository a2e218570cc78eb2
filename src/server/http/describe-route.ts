// [coordinator] A route in the OpenAPI document: its schemas, what it is for, what it answers, and who may ask.
import type { RouteOptions } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { ERRORS, type ErrorCode } from '../../errors.ts';
import type { RouteNote } from './notes/route-note.ts';
import { ROUTE_NOTES } from './route-notes.ts';

/** Adds to a route's schema the roles that may ask as `x-f3-roles`, and an empty security list where no token is needed. */
export const describeRoute: typeof jsonSchemaTransform = (input) => {
  const described = jsonSchemaTransform(input);
  const { config, method } = (input as { route?: RouteOptions }).route ?? {};
  const { allow, allowsInferenceTokens = false, needsKey = false } = config ?? {};
  const others = allowsInferenceTokens ? ['inference token'] : [];
  const security = {
    security: [
      { requestToken: [] },
      ...(needsKey ? [] : [{ session: [] }]),
      ...(allowsInferenceTokens ? [{ inferenceToken: [] }] : []),
    ],
  };
  const roles = Array.isArray(allow) ? { 'x-f3-roles': [...allow, ...others], ...security } : { security: [] };
  const note = ROUTE_NOTES[`${method} ${input.url.replace(/:(\w+)/g, '{$1}')}`];
  const noted = note ? { description: note.says, response: answersOf(note) } : {};
  return { ...described, schema: { ...(described.schema as object), ...noted, ...roles } };
};

/** Answers of a route by status. Those that any route may give are listed in docs/http-api.md. */
function answersOf({ answer, errors = [] }: RouteNote): Record<string, object> {
  const statusOf = (code: string) => ERRORS[code as ErrorCode]?.status ?? 422; // F3_BUNDLE_… stands for a family of codes
  const refusals = Object.entries(Object.groupBy(errors, (code) => String(statusOf(code))));
  const described = [['200', answer], ...refusals.map(([status, codes = []]) => [status, codes.join(', ')])];
  const answers = [...described, ['default', ANY_ROUTE]];
  return Object.fromEntries(answers.map(([status, description]) => [status, { description, type: 'null' }]));
}

/** What stands for the statuses that every route may answer with. */
const ANY_ROUTE = 'a refusal that any route may give, {"code": "F3_…", "message": "…"}';

/** The kinds of token, and the cookie, for the document as a whole. */
export const TOKENS = {
  securitySchemes: {
    requestToken: { type: 'http', scheme: 'bearer', bearerFormat: 'f3-request+jwt' },
    session: { type: 'apiKey', in: 'cookie', name: 'f3_session' },
    inferenceToken: { type: 'http', scheme: 'bearer', bearerFormat: 'f3t_…' },
  },
} as const;
