// [coordinator] POST …/leave: a member leaves its federation, by a request that its own key signed.
import { z } from 'zod';
import { appendAudit } from '../../storage/audit.ts';
import { listUsedBundles, type UsedBundle } from '../../storage/bundle-uses.ts';
import { inTransaction } from '../../storage/database/in-transaction.ts';
import { requireFederation } from '../../storage/federations.ts';
import { cancelInvitationsOf } from '../../storage/invitations.ts';
import { revokeMember } from '../../storage/members.ts';
import type { TypedApp } from '../app.ts';
import type { ServerContext } from '../server-context.ts';
import { despite, removeBundle } from './bundles.ts';
import { federationParams } from './federations.ts';

const LEAVERS = ['owner', 'labels'] as const;
const body = z.strictObject({ bundles: z.enum(['keep', 'delete']).default('keep'), despite });

export function addLeave(app: TypedApp, { store: { db }, shares }: ServerContext): void {
  app.post(
    '/v1/federations/:federation/leave',
    { schema: { params: federationParams, body }, config: { allow: LEAVERS } },
    async ({ params: { federation }, body: { bundles: wish, despite: passed }, member: { owner, role } }) => {
      const answer = await inTransaction(db, async (trx) => {
        const { activeModel } = await requireFederation(trx, federation);
        const left = new Date();
        const bundles = role === 'owner' ? await listUsedBundles(trx, federation, owner) : [];
        await cancelInvitationsOf(trx, federation, owner, left);
        await revokeMember(trx, federation, owner, left);
        const isDeleted = wish === 'delete';
        const details = { role, bundles: isDeleted ? 'deleted' : 'kept' };
        await appendAudit(trx, { federation, actor: owner, action: 'member.left', details });
        if (isDeleted) {
          // The member has left, so none of its bundles counts any more and none is refused for that reason.
          for (const { version } of bundles) {
            await removeBundle(trx, {
              federation,
              owner,
              version,
              actor: owner,
              despiteModels: passed === 'models',
            });
          }
        }
        return { owner, left, activeModel, ...needed(bundles), [isDeleted ? 'deleted' : 'kept']: versionsOf(bundles) };
      });
      return { ...answer, ...(wish === 'delete' && (await shares.swept(federation))) };
    },
  );
}

const versionsOf = (bundles: readonly UsedBundle[]): number[] => bundles.map(({ version }) => version);

/** Models that learned from any of the bundles, and trainings that still will. */
function needed(bundles: readonly UsedBundle[]): { models: number[]; trainings: string[] } {
  const models = new Set(bundles.flatMap(({ uses }) => uses.models));
  const trainings = new Set(bundles.flatMap(({ uses }) => uses.trainings));
  return { models: [...models].sort((a, b) => a - b), trainings: [...trainings] };
}
