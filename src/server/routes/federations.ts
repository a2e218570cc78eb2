// [coordinator] Creates federations, shows them and their audit logs.
import { z } from 'zod';
import { F3Error } from '../../errors.ts';
import { FEDERATION_NAME, FEDERATION_NAME_RULE } from '../../exchange/messages.ts';
import { appendAudit } from '../../storage/audit.ts';
import { createOnce } from '../../storage/creations.ts';
import { createFederation, listFederations, requireFederation } from '../../storage/federations.ts';
import type { TypedApp } from '../app.ts';
import { classNames } from '../class-names.ts';
import { BODY_BYTES } from '../http/body-parsers.ts';
import { creationHeaders, creationRequest } from '../http/creation-request.ts';
import type { ServerContext } from '../server-context.ts';
import { foundCharter } from '../shares/found-charter.ts';
import { requireCharter } from '../shares/share-desk.ts';
import { federationStatus } from './federation-status.ts';
import { checked } from './shares.ts';

const OPERATORS = ['operator'] as const;
const EVERYBODY = ['operator', 'labels', 'owner'] as const;

export const federationParams = z.object({ federation: z.string().regex(FEDERATION_NAME, FEDERATION_NAME_RULE) });
const newFederation = z.object({
  name: z.string().regex(FEDERATION_NAME, FEDERATION_NAME_RULE),
  classes: classNames.optional(),
  /** tls://host:port#key-id of each entity that holds shares; without them the coordinator holds embeddings. */
  entities: z.array(z.string().max(400)).min(1).max(20).optional(),
  /** So many entities together learn nothing. Default: as many as can be. */
  threshold: z.number().int().min(1).max(6).optional(),
});

export function addFederations(app: TypedApp, { store: { db }, quotas, shares, lastSeen }: ServerContext): void {
  const forOperators = { config: { allow: OPERATORS } };

  app.get('/v1/federations', forOperators, async () => ({ federations: await listFederations(db) }));

  app.post(
    '/v1/federations',
    { schema: { body: newFederation, headers: creationHeaders }, bodyLimit: BODY_BYTES.classes, ...forOperators },
    async (request) => {
      const { body, member } = request;
      const { name, entities, threshold } = body;
      if (!entities && threshold !== undefined) {
        throw new F3Error('F3_ARGUMENT', `threshold: is for federations with entities only, got ${threshold}`);
      }
      const created = await createOnce(db, creationRequest(request), {
        async create(trx) {
          const answer = await createFederation(trx, body);
          const made = entities && (await foundCharter(trx, name, entities, threshold));
          const details = made && { charter: made.fingerprint, entities: made.charter.entities.length };
          await appendAudit(trx, {
            federation: name,
            actor: member.owner,
            action: 'federation.created',
            ...(details && { details }),
          });
          return { subject: answer.name, answer };
        },
        repeat: async (trx, subject) => ({ subject, answer: await requireFederation(trx, subject) }),
      });
      if (!entities) return created;
      const { charter, fingerprint } = await requireCharter(db, name);
      // Entities that are there see the charter now; their operators compare it and admit it.
      return { ...created, charter, fingerprint, entities: (await checked(db, shares, name)).entities };
    },
  );

  app.get(
    '/v1/federations/:federation',
    { schema: { params: federationParams }, config: { allow: EVERYBODY } },
    (request) => federationStatus(db, request.params.federation, request.member, quotas, lastSeen),
  );
}
