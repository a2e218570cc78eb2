// [coordinator] Shows what a federation has taken of its quotas, and lets the operator of the whole coordinator change them.
import { z } from 'zod';
import { F3Error } from '../../errors.ts';
import { QUOTA_NAMES } from '../../exchange/quotas.ts';
import { appendAudit } from '../../storage/audit.ts';
import { inTransaction } from '../../storage/database/in-transaction.ts';
import { requireFederation } from '../../storage/federations.ts';
import { quotasOf, quotaUsage, setQuotas } from '../../storage/quotas.ts';
import type { TypedApp } from '../app.ts';
import type { ServerContext } from '../server-context.ts';
import { federationParams } from './federations.ts';

const EVERYBODY = ['operator', 'labels', 'owner'] as const;
const OPERATORS = ['operator'] as const;
const limit = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).nullable().optional();
/** A number sets a quota, and null puts it back to the coordinator's. */
const changes = z.strictObject(Object.fromEntries(QUOTA_NAMES.map((name) => [name, limit])));

export function addQuotas(app: TypedApp, { store: { db }, quotas: standard }: ServerContext): void {
  app.get(
    '/v1/federations/:federation/quotas',
    { schema: { params: federationParams }, config: { allow: EVERYBODY } },
    async ({ params: { federation }, member }) => {
      await requireFederation(db, federation);
      const quotas = await quotasOf(db, federation, standard);
      return {
        quotas: await quotaUsage(db, federation, quotas, member.role === 'operator' ? undefined : member.owner),
      };
    },
  );

  app.put(
    '/v1/federations/:federation/quotas',
    { schema: { params: federationParams, body: changes }, config: { allow: OPERATORS } },
    ({ params: { federation }, body, member }) => {
      // An operator of one federation must not take from the others.
      if (member.federation !== null) {
        const rule = 'must be an operator of the whole coordinator to change quotas';
        throw new F3Error('F3_AUTH_FORBIDDEN', `member ${member.owner}: ${rule}, got one of ${member.federation}`);
      }
      return inTransaction(db, async (trx) => {
        await setQuotas(trx, federation, body);
        await appendAudit(trx, { federation, actor: member.owner, action: 'quotas.set', details: body });
        return { quotas: await quotaUsage(trx, federation, await quotasOf(trx, federation, standard)) };
      });
    },
  );
}
