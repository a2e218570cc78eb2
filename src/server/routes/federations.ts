// [coordinator] Creates federations, shows them and their audit logs.
import { z } from 'zod';
import { FEDERATION_NAME, FEDERATION_NAME_RULE } from '../../exchange/messages.ts';
import { appendAudit } from '../../storage/audit.ts';
import { createOnce } from '../../storage/creations.ts';
import { createFederation, listFederations, requireFederation } from '../../storage/federations.ts';
import type { TypedApp } from '../app.ts';
import { classNames } from '../class-names.ts';
import { BODY_BYTES } from '../http/body-parsers.ts';
import { creationHeaders, creationRequest } from '../http/creation-request.ts';
import type { ServerContext } from '../server-context.ts';
import { federationStatus } from './federation-status.ts';

const OPERATORS = ['operator'] as const;
const EVERYBODY = ['operator', 'labels', 'owner'] as const;

export const federationParams = z.object({ federation: z.string().regex(FEDERATION_NAME, FEDERATION_NAME_RULE) });
const newFederation = z.object({
  name: z.string().regex(FEDERATION_NAME, FEDERATION_NAME_RULE),
  classes: classNames.optional(),
});

export function addFederations(app: TypedApp, { store: { db }, quotas }: ServerContext): void {
  const forOperators = { config: { allow: OPERATORS } };

  app.get('/v1/federations', forOperators, async () => ({ federations: await listFederations(db) }));

  app.post(
    '/v1/federations',
    { schema: { body: newFederation, headers: creationHeaders }, bodyLimit: BODY_BYTES.classes, ...forOperators },
    (request) =>
      createOnce(db, creationRequest(request), {
        async create(trx) {
          const { body, member } = request;
          const answer = await createFederation(trx, body);
          await appendAudit(trx, { federation: body.name, actor: member.owner, action: 'federation.created' });
          return { subject: answer.name, answer };
        },
        repeat: async (trx, subject) => ({ subject, answer: await requireFederation(trx, subject) }),
      }),
  );

  app.get(
    '/v1/federations/:federation',
    { schema: { params: federationParams }, config: { allow: EVERYBODY } },
    (request) => federationStatus(db, request.params.federation, request.member, quotas),
  );
}
