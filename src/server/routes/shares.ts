// [coordinator] A federation on shares: its charter, what an owner needs to send shares, how the entities stand, and all that was opened.
import { z } from 'zod';
import { F3Error } from '../../errors.ts';
import { type LedgerLine, mergedLedger } from '../../shares/ledger.ts';
import { nextVersion } from '../../storage/bundles.ts';
import { requireFederation } from '../../storage/federations.ts';
import { bytesOfMember, quotasOf } from '../../storage/quotas.ts';
import type { Db } from '../../storage/schema.ts';
import { listSharedBundles, listShareEntities } from '../../storage/share-charters.ts';
import type { TypedApp } from '../app.ts';
import type { ServerContext } from '../server-context.ts';
import { requireCharter, type ShareDesk } from '../shares/share-desk.ts';
import { federationParams } from './federations.ts';

const EVERYBODY = ['operator', 'labels', 'owner'] as const;
const query = z.object({ check: z.literal('yes').optional() });

export function addShares(app: TypedApp, { store: { db }, shares, quotas: standard }: ServerContext): void {
  app.get(
    '/v1/federations/:federation/shares',
    { schema: { params: federationParams, querystring: query }, config: { allow: EVERYBODY } },
    async ({ params: { federation }, query: { check }, member: { role, owner, keyId } }) => {
      await requireFederation(db, federation);
      const { charter, fingerprint } = await requireCharter(db, federation);
      const agreed = { charter, fingerprint };
      if (role === 'owner') {
        const bundles = await listSharedBundles(db, federation, owner);
        const [next, admission] = [
          await nextVersion(db, federation, owner),
          await shares.admission(federation, owner, keyId),
        ];
        const { memberBytes } = await quotasOf(db, federation, standard);
        const room = Math.max(0, memberBytes - (await bytesOfMember(db, federation, owner)));
        return { ...agreed, bundles, next, room, admission };
      }
      if (check === undefined) return agreed;
      if (role !== 'operator') {
        throw new F3Error('F3_AUTH_FORBIDDEN', `member ${owner}: must be an operator to check entities, got ${role}`);
      }
      return { ...agreed, ...(await checked(db, shares, federation)) };
    },
  );
}

/** How the entities stand, and the ledger as those that answer, or have answered, keep it. */
export async function checked(db: Db, shares: ShareDesk, federation: string) {
  const entities = (await shares.check(federation)).map(({ ledger: _, held, ...entity }) => ({
    ...entity,
    shares: held.length,
  }));
  const ledgers = (await listShareEntities(db, federation)).map(({ ledger }) => ledger as unknown as LedgerLine[]);
  return { entities, ledger: mergedLedger(ledgers) };
}
