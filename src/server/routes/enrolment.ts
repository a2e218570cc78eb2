// [coordinator] POST /v1/enrol: somebody with a one-time code becomes a member and leaves its public key.
import { z } from 'zod';
import { readPublicKey } from '../../exchange/identity/key-pair.ts';
import { appendAudit } from '../../storage/audit.ts';
import { inTransaction } from '../../storage/database/in-transaction.ts';
import { redeemInvitation } from '../../storage/invitations.ts';
import type { TypedApp } from '../app.ts';
import type { ServerContext } from '../server-context.ts';

export function addEnrolment(app: TypedApp, { store }: ServerContext): void {
  const body = z.object({ code: z.string().min(1).max(200), publicKey: z.record(z.string(), z.unknown()) });
  app.post('/v1/enrol', { schema: { body }, config: { allow: 'public' } }, async ({ body: { code, publicKey } }) => {
    const key = await readPublicKey(publicKey);
    return inTransaction(store.db, async (trx) => {
      const { member, isNew } = await redeemInvitation(trx, code, { keyId: key.id, publicKey: key.publicKey });
      const { federation, owner, role, keyId } = member;
      if (isNew)
        await appendAudit(trx, { federation, actor: owner, action: 'member.joined', details: { role, keyId } });
      return { federation, owner, role, keyId };
    });
  });
}
