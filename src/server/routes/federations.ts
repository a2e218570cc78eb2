// [coordinator] Federations: made, looked at, their members invited and revoked, their audit log read.
import { z } from 'zod';
import { isOwnerId, OWNER_ID_RULE } from '../../exchange/bundle/owner-id.ts';
import { FEDERATION_NAME, FEDERATION_NAME_RULE } from '../../exchange/messages.ts';
import { appendAudit, COORDINATOR, listAudit } from '../../storage/audit.ts';
import { latestBundles } from '../../storage/bundles.ts';
import { createOnce } from '../../storage/creations.ts';
import { createFederation, listFederations, requireFederation } from '../../storage/federations.ts';
import { createInvitation, type IssuedInvitation, renewInvitation } from '../../storage/invitations.ts';
import { latestLabelSet } from '../../storage/label-sets.ts';
import { listMembers, revokeMember } from '../../storage/members.ts';
import { listModels } from '../../storage/models.ts';
import type { Db, MemberRow } from '../../storage/schema.ts';
import { listTrainings } from '../../storage/trainings.ts';
import type { TypedApp } from '../app.ts';
import { classNames } from '../class-names.ts';
import { creationHeaders, creationRequest } from '../creation-request.ts';
import type { ServerContext } from '../server-context.ts';

const HOURS = 24 * 7;
const OPERATORS = ['operator'] as const;
const EVERYBODY = ['operator', 'labels', 'owner'] as const;

export const federationParams = z.object({ federation: z.string().regex(FEDERATION_NAME, FEDERATION_NAME_RULE) });
const ownerId = z.string().refine(isOwnerId, OWNER_ID_RULE);
const newFederation = z.object({
  name: z.string().regex(FEDERATION_NAME, FEDERATION_NAME_RULE),
  classes: classNames.optional(),
});
const newInvitation = z.object({
  owner: ownerId.refine(
    (id) => id.toLowerCase() !== COORDINATOR,
    `must not be ${COORDINATOR}, who acts in the audit log`,
  ),
  role: z.enum(['owner', 'labels', 'operator']).default('owner'),
  hours: z
    .number()
    .positive()
    .max(24 * 365)
    .default(HOURS),
});

export function addFederations(app: TypedApp, { store: { db } }: ServerContext): void {
  const forOperators = { config: { allow: OPERATORS } };

  app.get('/v1/federations', forOperators, async () => ({ federations: await listFederations(db) }));

  app.post(
    '/v1/federations',
    { schema: { body: newFederation, headers: creationHeaders }, ...forOperators },
    (request) =>
      createOnce(db, creationRequest(request), {
        async make(trx) {
          const { body, member } = request;
          const answer = await createFederation(trx, body);
          await appendAudit(trx, { federation: body.name, actor: member.owner, action: 'federation.created' });
          return { subject: answer.name, answer };
        },
        again: async (trx, subject) => ({ subject, answer: await requireFederation(trx, subject) }),
      }),
  );

  app.get(
    '/v1/federations/:federation',
    { schema: { params: federationParams }, config: { allow: EVERYBODY } },
    (request) => statusOf(db, request.params.federation, request.member),
  );

  app.post(
    '/v1/federations/:federation/invitations',
    { schema: { params: federationParams, body: newInvitation, headers: creationHeaders }, ...forOperators },
    (request) =>
      createOnce(db, creationRequest(request), {
        async make(trx) {
          const { params, body, member } = request;
          const [{ federation }, { owner, role, hours }] = [params, body];
          const expires = new Date(Date.now() + hours * 3_600_000);
          const invitation = await createInvitation(trx, { federation, owner, role, expires });
          const details = { owner, role };
          await appendAudit(trx, { federation, actor: member.owner, action: 'member.invited', details });
          return invited(invitation);
        },
        again: async (trx, subject) => invited(await renewInvitation(trx, subject)),
      }),
  );

  app.post(
    '/v1/federations/:federation/members/:owner/revoke',
    { schema: { params: federationParams.extend({ owner: ownerId }), headers: creationHeaders }, ...forOperators },
    (request) => {
      const { federation, owner } = request.params;
      const answered = (subject: string) => ({ subject, answer: { owner, revoked: subject } });
      return createOnce(db, creationRequest(request), {
        async make(trx) {
          await requireFederation(trx, federation);
          const now = new Date();
          await revokeMember(trx, federation, owner, now);
          const actor = request.member.owner;
          await appendAudit(trx, { federation, actor, action: 'member.revoked', details: { owner } });
          return answered(now.toISOString());
        },
        again: async (_, subject) => answered(subject),
      });
    },
  );

  const page = z.object({
    after: z.coerce.number().int().min(0).default(0),
    limit: z.coerce.number().int().min(1).max(1000).default(100),
  });
  app.get(
    '/v1/federations/:federation/audit',
    { schema: { params: federationParams, querystring: page }, ...forOperators },
    async ({ params: { federation }, query: { after, limit } }) => {
      await requireFederation(db, federation);
      return { entries: await listAudit(db, { federation, after, limit }) };
    },
  );
}

const invited = ({ code, codeHash, expires }: IssuedInvitation) => ({
  subject: codeHash,
  answer: { code, expires: expires.toISOString() },
});

/** An owner sees its own entry and how many there are; what others sent is not its business. */
async function statusOf(db: Db, name: string, member: MemberRow) {
  const federation = await requireFederation(db, name);
  const [members, bundles, labels] = [
    await listMembers(db, name),
    await latestBundles(db, name),
    await latestLabelSet(db, name),
  ];
  const owners = members
    .filter(({ role, revoked }) => role === 'owner' && !revoked)
    .map(({ owner }) => {
      const bundle = bundles.find((entry) => entry.owner === owner);
      return { owner, bundle: bundle ? { version: bundle.version, sha256: bundle.sha256, ...bundle.summary } : null };
    });
  const common = { name, classes: federation.classes, activeModel: federation.activeModel };
  const counts = { owners: owners.length, bundles: bundles.length, labels: labels?.version ?? 0 };
  if (member.role === 'owner')
    return { ...common, counts, owners: owners.filter(({ owner }) => owner === member.owner) };
  const trainings = (await listTrainings(db, name)).map(({ id, status, progress, modelVersion, error, created }) => ({
    ...{ id, state: status, progress, model: modelVersion, error, created },
  }));
  const models = (await listModels(db, name)).map(({ version, training, created }) => ({ version, training, created }));
  return { ...common, counts, owners, trainings, models };
}
