// [coordinator] Lists versions of bundles with what needs them, and deletes them. Owners see their own, operators all.
import { z } from 'zod';
import { F3Error } from '../../errors.ts';
import { appendAudit } from '../../storage/audit.ts';
import { listUsedBundles, type UsedBundle } from '../../storage/bundle-uses.ts';
import { inTransaction } from '../../storage/database/in-transaction.ts';
import { deleteBundle } from '../../storage/delete-bundle.ts';
import { requireFederation } from '../../storage/federations.ts';
import type { Db } from '../../storage/schema.ts';
import type { TypedApp } from '../app.ts';
import { MOST_VERSIONS } from '../prediction/model-version.ts';
import type { ServerContext } from '../server-context.ts';
import { federationParams } from './federations.ts';
import { ownerId } from './members.ts';

const KEEPERS = ['operator', 'owner'] as const;
const bundleParams = federationParams.extend({
  owner: ownerId,
  version: z.coerce.number().int().min(1).max(MOST_VERSIONS),
});
/** Says that a bundle is deleted even if models learned from it. */
export const despite = z.literal('models').optional();

export function addBundles(app: TypedApp, { store: { db }, shares }: ServerContext): void {
  const config = { allow: KEEPERS };

  app.get(
    '/v1/federations/:federation/bundles',
    { schema: { params: federationParams, querystring: z.object({ owner: ownerId.optional() }) }, config },
    async ({ params: { federation }, query: { owner }, member }) => {
      await requireFederation(db, federation);
      const whose = member.role === 'owner' ? member.owner : owner;
      return { bundles: (await listUsedBundles(db, federation, whose)).map(listedBundle) };
    },
  );

  app.delete(
    '/v1/federations/:federation/bundles/:owner/:version',
    { schema: { params: bundleParams, querystring: z.object({ despite }) }, config },
    async ({ params, query, member }) => {
      if (member.role === 'owner' && member.owner !== params.owner) {
        const rule = 'may delete its own bundles only';
        throw new F3Error('F3_AUTH_FORBIDDEN', `member ${member.owner}: ${rule}, got those of another owner`);
      }
      await requireFederation(db, params.federation);
      const removal = { ...params, actor: member.owner, despiteModels: query.despite === 'models' };
      const removed = await removeBundle(db, removal);
      return { ...removed, ...(await shares.swept(params.federation)) };
    },
  );
}

export interface BundleRemoval {
  federation: string;
  owner: string;
  version: number;
  actor: string;
  despiteModels: boolean;
}

/** Deletes a bundle and adds an entry to the audit log. */
export function removeBundle(db: Db, { federation, owner, version, actor, despiteModels }: BundleRemoval) {
  return inTransaction(db, async (trx) => {
    const { isNew, ...removed } = await deleteBundle(trx, { federation, owner, version }, { despiteModels });
    const { sha256, size, models } = removed;
    const details = { owner, version, sha256, size, ...(models.length > 0 && { models }) };
    if (isNew) await appendAudit(trx, { federation, actor, action: 'bundle.deleted', details });
    return removed;
  });
}

const listedBundle = ({ owner, version, created, size, sha256, summary, uses }: UsedBundle) => ({
  owner,
  version,
  created,
  size,
  sha256,
  samples: summary.samples,
  width: summary.width,
  votes: summary.votes,
  privacy: summary.privacy ?? null,
  ...uses,
});
