// [coordinator] The Idempotency-Key of a request that makes something. Clients send the same one when they try again.
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { sha256 } from '../../base/sha256.ts';
import type { CreationRequest } from '../../storage/creations.ts';

const KEY = 'idempotency-key';

/** Part of a route's schema. It checks this header only; other headers pass. */
export const creationHeaders = z.looseObject({ [KEY]: z.string().min(1).max(200).optional() });

export function creationRequest({ member, headers, method, url, rawBody }: FastifyRequest): CreationRequest {
  const request = sha256(`${method} ${url}\n`, rawBody);
  return { member: member.id, key: headers[KEY]?.toString(), request };
}
