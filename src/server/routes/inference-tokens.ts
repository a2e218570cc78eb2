// [coordinator] Lets operators create, list and revoke static tokens for clients that only predict.
import { z } from 'zod';
import { isPlainText, PLAIN_TEXT_RULE } from '../../exchange/plain-text.ts';
import { appendAudit } from '../../storage/audit.ts';
import { createOnce } from '../../storage/creations.ts';
import { inTransaction } from '../../storage/database/in-transaction.ts';
import { requireFederation } from '../../storage/federations.ts';
import {
  createInferenceToken,
  type IssuedInferenceToken,
  listInferenceTokens,
  renewInferenceToken,
  revokeInferenceToken,
} from '../../storage/inference-tokens.ts';
import type { InferenceTokenRow } from '../../storage/schema.ts';
import type { TypedApp } from '../app.ts';
import { creationHeaders, creationRequest } from '../http/creation-request.ts';
import type { ServerContext } from '../server-context.ts';
import { federationParams } from './federations.ts';

const OPERATORS = ['operator'] as const;
const DAYS = 90;
const DAY_MS = 24 * 3_600_000;
const newToken = z.strictObject({
  name: z.string().min(1).max(100).refine(isPlainText, PLAIN_TEXT_RULE),
  /** Days until the token expires; null if it never does. */
  days: z.number().positive().max(3650).nullable().default(DAYS),
});

export function addInferenceTokens(app: TypedApp, { store: { db } }: ServerContext): void {
  const config = { allow: OPERATORS };

  app.post(
    '/v1/federations/:federation/tokens',
    {
      schema: { params: federationParams, body: newToken, headers: creationHeaders },
      config: { ...config, needsKey: true },
    },
    (request) =>
      createOnce(db, creationRequest(request), {
        async create(trx) {
          const { params, body, member } = request;
          const [{ federation }, { name, days }] = [params, body];
          await requireFederation(trx, federation);
          const expires = days === null ? null : new Date(Date.now() + days * DAY_MS);
          const token = await createInferenceToken(trx, { federation, name, createdBy: member.owner, expires });
          const details = { token: token.id, name, expires: expires?.toISOString() ?? null };
          await appendAudit(trx, { federation, actor: member.owner, action: 'token.created', details });
          return issued(token);
        },
        repeat: async (trx, id) => issued(await renewInferenceToken(trx, id)),
      }),
  );

  app.get(
    '/v1/federations/:federation/tokens',
    { schema: { params: federationParams }, config },
    async ({ params: { federation } }) => {
      await requireFederation(db, federation);
      return { tokens: (await listInferenceTokens(db, federation)).map((token) => listedToken(token)) };
    },
  );

  app.post(
    '/v1/federations/:federation/tokens/:id/revoke',
    { schema: { params: federationParams.extend({ id: z.uuid() }) }, config },
    ({ params: { federation, id }, member }) =>
      inTransaction(db, async (trx) => {
        await requireFederation(trx, federation);
        const { name, revoked } = await revokeInferenceToken(trx, federation, id);
        const details = { token: id, name };
        await appendAudit(trx, { federation, actor: member.owner, action: 'token.revoked', details });
        return { id, name, revoked };
      }),
  );
}

const issued = ({ id, name, secret, expires }: IssuedInferenceToken) => ({
  subject: id,
  answer: { id, name, token: secret, expires },
});

/** A token as lists show it, without its hash. */
const listedToken = ({ id, name, created, createdBy, expires, lastUsed }: InferenceTokenRow, now = new Date()) => ({
  id,
  name,
  created,
  createdBy,
  expires,
  lastUsed,
  expired: expires !== null && expires <= now,
});
