// [coordinator] Shows the audit logs, their signed heads and the coordinator's public keys.
import { z } from 'zod';
import { F3Error } from '../../errors.ts';
import { listAudit } from '../../storage/audit.ts';
import { listAuditKeys, listHeads } from '../../storage/audit-heads.ts';
import { requireFederation } from '../../storage/federations.ts';
import type { TypedApp } from '../app.ts';
import type { ServerContext } from '../server-context.ts';
import { federationParams } from './federations.ts';

const OPERATORS = ['operator'] as const;
const EVERYBODY = ['operator', 'labels', 'owner'] as const;
const MOST = 1000;

const place = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const page = z.object({ after: place.default(0), limit: z.coerce.number().int().min(1).max(MOST).default(100) });
/** Whoever wants the last entries of a long log reads it backwards. */
const entriesPage = page.extend({ before: place.optional(), order: z.enum(['oldest', 'newest']).default('oldest') });

export function addAudit(app: TypedApp, { store: { db }, seal }: ServerContext): void {
  const forOperators = { config: { allow: OPERATORS } };

  app.get('/v1/audit/keys', { config: { allow: 'public' } }, async () => ({
    keys: (await listAuditKeys(db)).map(({ keyId, publicKey, since }) => ({ keyId, publicKey, since })),
  }));

  app.get('/v1/audit', { schema: { querystring: entriesPage }, ...forOperators }, async ({ query }) => ({
    entries: await listAudit(db, { federation: null, ...query }),
  }));
  app.get('/v1/audit/heads', { schema: { querystring: page }, ...forOperators }, async ({ query }) => ({
    heads: await listHeads(db, null, query),
  }));
  app.get('/v1/audit/head', forOperators, () => headOf(null));

  app.get(
    '/v1/federations/:federation/audit',
    { schema: { params: federationParams, querystring: entriesPage }, ...forOperators },
    async ({ params: { federation }, query }) => {
      await requireFederation(db, federation);
      return { entries: await listAudit(db, { federation, ...query }) };
    },
  );
  app.get(
    '/v1/federations/:federation/audit/heads',
    { schema: { params: federationParams, querystring: page }, ...forOperators },
    async ({ params: { federation }, query }) => {
      await requireFederation(db, federation);
      return { heads: await listHeads(db, federation, query) };
    },
  );
  app.get(
    '/v1/federations/:federation/audit/head',
    { schema: { params: federationParams }, config: { allow: EVERYBODY } },
    async ({ params: { federation } }) => {
      await requireFederation(db, federation);
      return headOf(federation);
    },
  );

  /** Every log has an entry about its beginning, so only a log that was changed has no head. */
  async function headOf(federation: string | null) {
    const head = await seal.head(federation);
    if (head) return head;
    throw new F3Error(
      'F3_AUDIT_CHANGED',
      'audit log: its entries must lead to its hash, got others; nothing is signed',
    );
  }
}
