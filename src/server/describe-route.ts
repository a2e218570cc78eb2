// [coordinator] A route in the OpenAPI document: its schemas, and who may ask.
import type { RouteOptions } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';

/** Beside the schema itself: roles as `x-f3-roles`, and no security where none is asked for. */
export const describeRoute: typeof jsonSchemaTransform = (input) => {
  const described = jsonSchemaTransform(input);
  const { allow } = (input as { route?: RouteOptions }).route?.config ?? {};
  const roles = Array.isArray(allow) ? { 'x-f3-roles': [...allow] } : { security: [] };
  return { ...described, schema: { ...(described.schema as object), ...roles } };
};

/** For the document as a whole. */
export const REQUEST_TOKEN = {
  securitySchemes: { requestToken: { type: 'http', scheme: 'bearer', bearerFormat: 'f3-request+jwt' } },
} as const;
