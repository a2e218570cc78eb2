// [coordinator] Members replace and end their own keys; operators of the whole coordinator see and revoke each other.
import { z } from 'zod';
import { F3Error } from '../../errors.ts';
import { readPublicKey } from '../../exchange/identity/key-pair.ts';
import { requireKeyProof } from '../../exchange/identity/key-proof.ts';
import { appendAudit } from '../../storage/audit.ts';
import { inTransaction } from '../../storage/database/in-transaction.ts';
import { endFormerKey, listFormerKeys, rotateKey } from '../../storage/member-keys.ts';
import { listMembers, revokeMember } from '../../storage/members.ts';
import type { TypedApp } from '../app.ts';
import type { ServerContext } from '../server-context.ts';
import { ownerId } from './members.ts';

const EVERYBODY = { config: { allow: ['operator', 'labels', 'owner'], hasNoPlace: true } } as const;
const BY_KEY = { config: { ...EVERYBODY.config, needsKey: true } } as const;
const OPERATORS = { config: { allow: ['operator'] } } as const;
const HOUR_MS = 3_600_000;
/** A week, so that a leaked key does not stay good because somebody forgot about it. */
const MOST_HOURS = 168;
const newKey = z.strictObject({
  publicKey: z.record(z.string(), z.unknown()),
  proof: z.string().max(200),
  overlapHours: z.number().min(0).max(MOST_HOURS).default(24),
});
const keyParams = z.object({ key: z.string().regex(/^[\w-]{43}$/, 'must be the id of a key') });

export function addKeys(app: TypedApp, { store: { db } }: ServerContext): void {
  app.get('/v1/me/keys', EVERYBODY, async ({ member }) => {
    const former = await listFormerKeys(db, member.id);
    return { signedBy: member.keyId, former: former.map(({ keyId, replaced, ends }) => ({ keyId, replaced, ends })) };
  });

  app.post('/v1/me/keys', { schema: { body: newKey }, ...BY_KEY }, async ({ body, member }) => {
    const key = await readPublicKey(body.publicKey);
    requireKeyProof(body.proof, key, member.keyId);
    return inTransaction(db, async (trx) => {
      const now = new Date();
      const ends = new Date(now.getTime() + body.overlapHours * HOUR_MS);
      const rotation = { member: member.id, signedBy: member.keyId, key: { keyId: key.id, publicKey: key.publicKey } };
      const { former, isNew } = await rotateKey(trx, { ...rotation, ends }, now);
      const details = { keyId: key.id, former: former.keyId, ends: former.ends };
      const entry = { federation: member.federation, actor: member.owner, action: 'key.rotated' };
      if (isNew) await appendAudit(trx, { ...entry, details });
      return details;
    });
  });

  app.post('/v1/me/keys/:key/revoke', { schema: { params: keyParams }, ...BY_KEY }, ({ params, member }) =>
    inTransaction(db, async (trx) => {
      const { keyId, ends } = await endFormerKey(trx, member.id, params.key);
      const entry = { federation: member.federation, actor: member.owner, action: 'key.revoked' };
      await appendAudit(trx, { ...entry, details: { keyId } });
      return { keyId, ends };
    }),
  );

  app.get('/v1/operators', OPERATORS, async () => ({
    operators: (await listMembers(db, null)).map(({ owner, keyId, joined, revoked }) => ({
      owner,
      keyId,
      joined,
      revoked,
    })),
  }));

  app.post(
    '/v1/operators/:owner/revoke',
    { schema: { params: z.object({ owner: ownerId }) }, config: { ...OPERATORS.config, needsKey: true } },
    ({ params: { owner }, member }) =>
      inTransaction(db, async (trx) => {
        // All rows are held, so that two operators who revoke each other at once do not leave nobody.
        await trx
          .selectFrom('members')
          .select('id')
          .where('federation', 'is', null)
          .orderBy('id')
          .forUpdate()
          .execute();
        const valid = (await listMembers(trx, null)).filter(({ revoked }) => !revoked);
        if (valid.length === 1 && valid[0].owner === owner) {
          const rule = 'must not be the last operator of the coordinator';
          throw new F3Error('F3_AUTH_FORBIDDEN', `operator ${owner}: ${rule}, got the only one with a valid key`);
        }
        const { revoked } = await revokeMember(trx, null, owner);
        const details = { owner };
        await appendAudit(trx, { federation: null, actor: member.owner, action: 'operator.revoked', details });
        return { owner, revoked };
      }),
  );
}
