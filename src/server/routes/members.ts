// [coordinator] Invites members of a federation, lists and cancels open invitations, and revokes members.
import { z } from 'zod';
import { isNewOwnerName, NEW_OWNER_RULE } from '../../exchange/bundle/lookalike-names.ts';
import { isOwnerId, OWNER_ID_RULE } from '../../exchange/bundle/owner-id.ts';
import { appendAudit, COORDINATOR } from '../../storage/audit.ts';
import { createOnce } from '../../storage/creations.ts';
import { inTransaction } from '../../storage/database/in-transaction.ts';
import { requireFederation } from '../../storage/federations.ts';
import {
  cancelInvitation,
  cancelInvitationsOf,
  createInvitation,
  type IssuedInvitation,
  listOpenInvitations,
  renewInvitation,
} from '../../storage/invitations.ts';
import { revokeMember } from '../../storage/members.ts';
import type { TypedApp } from '../app.ts';
import { creationHeaders, creationRequest } from '../http/creation-request.ts';
import type { ServerContext } from '../server-context.ts';
import { listedInvitation } from './federation-status.ts';
import { federationParams } from './federations.ts';

const HOURS = 24 * 7;
const OPERATORS = ['operator'] as const;

export const ownerId = z.string().refine(isOwnerId, OWNER_ID_RULE);
const newInvitation = z.object({
  owner: z
    .string()
    .refine(isNewOwnerName, NEW_OWNER_RULE)
    .refine((id) => id.toLowerCase() !== COORDINATOR, `must not be ${COORDINATOR}, who acts in the audit log`),
  role: z.enum(['owner', 'labels', 'operator']).default('owner'),
  hours: z
    .number()
    .positive()
    .max(24 * 365)
    .default(HOURS),
});

export function addMembers(app: TypedApp, { store: { db } }: ServerContext): void {
  const forOperators = { config: { allow: OPERATORS } };

  app.post(
    '/v1/federations/:federation/invitations',
    { schema: { params: federationParams, body: newInvitation, headers: creationHeaders }, ...forOperators },
    (request) =>
      createOnce(db, creationRequest(request), {
        async create(trx) {
          const { params, body, member } = request;
          const [{ federation }, { owner, role, hours }] = [params, body];
          const expires = new Date(Date.now() + hours * 3_600_000);
          const invitation = await createInvitation(trx, { federation, owner, role, expires });
          const details = { owner, role };
          await appendAudit(trx, { federation, actor: member.owner, action: 'member.invited', details });
          return invited(invitation);
        },
        repeat: async (trx, subject) => invited(await renewInvitation(trx, subject)),
      }),
  );

  app.get(
    '/v1/federations/:federation/invitations',
    { schema: { params: federationParams }, ...forOperators },
    async ({ params: { federation } }) => {
      await requireFederation(db, federation);
      return { invitations: (await listOpenInvitations(db, federation)).map((one) => listedInvitation(one)) };
    },
  );

  app.post(
    '/v1/federations/:federation/invitations/:id/cancel',
    { schema: { params: federationParams.extend({ id: z.uuid() }) }, ...forOperators },
    ({ params: { federation, id }, member }) =>
      inTransaction(db, async (trx) => {
        await requireFederation(trx, federation);
        const now = new Date();
        const { owner, role } = await cancelInvitation(trx, federation, id, now);
        const details = { owner, role };
        await appendAudit(trx, { federation, actor: member.owner, action: 'invitation.cancelled', details });
        return { id, owner, role, cancelled: now };
      }),
  );

  app.post(
    '/v1/federations/:federation/members/:owner/revoke',
    { schema: { params: federationParams.extend({ owner: ownerId }), headers: creationHeaders }, ...forOperators },
    (request) => {
      const { federation, owner } = request.params;
      const answered = (subject: string) => ({ subject, answer: { owner, revoked: subject } });
      return createOnce(db, creationRequest(request), {
        async create(trx) {
          await requireFederation(trx, federation);
          const now = new Date();
          const cancelled = await cancelInvitationsOf(trx, federation, owner, now);
          await revokeMember(trx, federation, owner, now);
          const details = { owner, ...(cancelled > 0 && { invitationsCancelled: cancelled }) };
          await appendAudit(trx, { federation, actor: request.member.owner, action: 'member.revoked', details });
          return answered(now.toISOString());
        },
        repeat: async (_, subject) => answered(subject),
      });
    },
  );
}

const invited = ({ code, codeHash, expires }: IssuedInvitation) => ({
  subject: codeHash,
  answer: { code, expires: expires.toISOString() },
});
